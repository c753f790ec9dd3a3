import type { Script } from "../sql/script.ts";
import type { ReadParts } from "../live/create-store-reader.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { storeError } from "../records/store-error.ts";

/** Reads by key are quick, and done on the caller's thread. */
export function sqliteReads(sql: SqliteConnection): Pick<ReadParts, "read" | "snapshot"> & {
  readonly storedSeq: (runId: string) => number;
} {
  return {
    read: attempt((script) => sql.script(script())),
    snapshot: attempt((script) => sql.read(script())),
    storedSeq: (runId) =>
      sql.get<{ seq: number }>(
        "SELECT COALESCE(MAX(seq), 0) AS seq FROM run_journal WHERE run_n = (SELECT n FROM runs WHERE id = ?)",
        runId,
      )?.seq ?? 0,
  };
}

function attempt(run: <T>(script: () => Script<T>) => T): ReadParts["read"] {
  return async (script) => {
    try {
      return run(script);
    } catch (error) {
      throw storeError("Reading from the store", error);
    }
  };
}
