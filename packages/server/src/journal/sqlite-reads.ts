import type { ReadParts } from "./store-reads.ts";
import type { Sql } from "./sql.ts";
import { storeError } from "./store-error.ts";

/** Reads by key are quick, and done on the caller's thread. */
export function sqliteReads(sql: Sql): Pick<ReadParts, "read"> & {
  readonly storedSeq: (runId: string) => number;
} {
  return {
    read: async (script) => {
      try {
        return sql.read(script);
      } catch (error) {
        throw storeError("Reading from the store", error);
      }
    },
    storedSeq: (runId) =>
      sql.get<{ seq: number }>(
        "SELECT COALESCE(MAX(seq), 0) AS seq FROM run_events WHERE run_n = (SELECT n FROM runs WHERE id = ?)",
        runId,
      )?.seq ?? 0,
  };
}
