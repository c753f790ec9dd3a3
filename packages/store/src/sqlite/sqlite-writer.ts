import type { Durability } from "../live/store.ts";
import type { EncodedRequest } from "../encode/run-commit.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { startThread, threadWriter, type Writer } from "../live/thread.ts";
import { applyBatch } from "./apply-batch.ts";
import { createWriteContext } from "./create-write-context.ts";
import type { WebhookSubscription } from "../records/webhooks.ts";
import type { RecoveredRun } from "../records/read-results.ts";

/** The first request to the writer's thread opens the database, and all others are batches. */
export type WriterRequest = { readonly open: OpenedDatabase } | readonly EncodedRequest[];

/** A database that has the newest schema. */
export interface OpenedDatabase {
  readonly path: string;
  /** A descriptor of the same file that stays open until all connections are closed. */
  readonly file: number;
}

/** The writer of SQLite, which knows the runs that the last process left unfinished. */
export interface SqliteWriter extends Writer {
  readonly recoveredRuns: readonly RecoveredRun[];
}

/** The options of the writer's thread. */
export interface WriterThreadOptions {
  readonly durability: Durability;
  /** The additional time that each commit waits, in ms. */
  readonly syncDelayMs: number;
  /** The endpoints that get messages about changes. */
  readonly webhooks: readonly WebhookSubscription[];
}

/** A thread that can load its code before the database can be opened. */
export interface WriterThread {
  open(database: OpenedDatabase): Promise<SqliteWriter>;
  /** Ends the thread. Needed only if it has not opened a database. */
  stop(): Promise<void>;
}

/** Starts the thread of a writer, which never blocks the caller's thread. */
export function startWriterThread(options: WriterThreadOptions): WriterThread {
  const thread = startThread<WriterRequest, never>("writer-thread", import.meta.url, options);
  return {
    open: async (database) => {
      const recoveredRuns = (await thread.ask({ open: database })) as readonly RecoveredRun[];
      return { recoveredRuns, ...threadWriter(thread) };
    },
    stop: () => thread.stop(),
  };
}

/** Returns a writer on the caller's own connection, for a database in memory. */
export function connectionWriter(
  sql: SqliteConnection,
  webhooks: readonly WebhookSubscription[] = [],
): SqliteWriter {
  const { context, recoveredRuns } = createWriteContext(sql, webhooks);
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
