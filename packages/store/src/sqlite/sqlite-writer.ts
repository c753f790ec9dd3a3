import type { Durability } from "../live/store.ts";
import type { EncodedRequest } from "../encode/run-commit.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { startThread, threadWriter, type Writer } from "../live/thread.ts";
import { applyBatch } from "./apply-batch.ts";
import { createWriteContext } from "./create-write-context.ts";
import type { RecoveredRun } from "../records/read-results.ts";

/** A request to the writer's thread. */
export type WriterRequest = "recovered-runs" | readonly EncodedRequest[];

/** The writer of SQLite, which knows the runs that the last process left unfinished. */
export interface SqliteWriter extends Writer {
  readonly recoveredRuns: readonly RecoveredRun[];
}

/** The options of the writer's thread. */
export interface WriterThreadOptions {
  readonly path: string;
  /** A descriptor of the same file that stays open until all connections are closed. */
  readonly file: number;
  readonly durability: Durability;
  /** The additional time that each commit waits, in ms. */
  readonly syncDelayMs: number;
}

/** Starts a writer in a separate thread, which never blocks the caller's thread. */
export async function startWriter(options: WriterThreadOptions): Promise<SqliteWriter> {
  const thread = startThread<WriterRequest, never>("writer-thread", import.meta.url, options);
  const recoveredRuns = (await thread.ask("recovered-runs")) as readonly RecoveredRun[];
  return { recoveredRuns, ...threadWriter(thread) };
}

/** Returns a writer on the caller's own connection, for a database in memory. */
export function connectionWriter(sql: SqliteConnection): SqliteWriter {
  const { context, recoveredRuns } = createWriteContext(sql);
  return {
    recoveredRuns,
    commit: async (batch) => {
      const results = applyBatch(context, batch);
      while (context.trim.pending) context.trim.removeBatch(sql);
      return results;
    },
    stop: async () => sql.close(),
  };
}
