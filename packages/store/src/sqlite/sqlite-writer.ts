import type { CapstanError } from "@capstan/core";
import type { Durability } from "./open-database.ts";
import { encodeRequest, type WriteRequest } from "../encode/encode-request.ts";
import { postRequest } from "../encode/post-request.ts";
import { type PostedBatch, receiveResults } from "../encode/posted-batches.ts";
import type { Sql } from "./sql.ts";
import { startThread, type Thread } from "../live/thread.ts";
import { applyBatch } from "./apply-batch.ts";
import type { WriteResult } from "../decide/apply-request.ts";
import { type Leftover, startWriting } from "./start-writing.ts";

export type WriterRequest = "leftovers" | PostedBatch;
export type WriterResponse = readonly Leftover[] | string;

/** Who holds the one connection that writes. */
export interface Writer {
  /** Whether it may be given more while it writes: it takes all that lies there into its next commit. */
  readonly takesAll: boolean;
  commit(batch: readonly WriteRequest[]): Promise<readonly WriteResult[]>;
  stop(): Promise<void>;
  /** Resolves if it can write nothing any more. Absent where that cannot be. */
  readonly died?: Promise<CapstanError>;
}

/** SQLite's, which knows what the process before left unfinished. */
export interface SqliteWriter extends Writer {
  readonly leftovers: readonly Leftover[];
}

/** What the writer's thread is started with. */
export interface WriterThreadOptions {
  readonly path: string;
  /** The same, open for writing until all connections to it are closed. */
  readonly file: number;
  readonly durability: Durability;
  /** How long each commit waits in addition, in ms. */
  readonly syncDelayMs: number;
}

/** A writer in a thread of its own, which never blocks the caller's. */
export async function startWriter(options: WriterThreadOptions): Promise<SqliteWriter> {
  const thread = startThread<WriterRequest, WriterResponse>(
    "writer-thread",
    import.meta.url,
    options,
  );
  const leftovers = (await thread.ask("leftovers")) as readonly Leftover[];
  return { leftovers, ...writerIn(thread) };
}

/** The calling side of a writer's thread, on either database. */
export function writerIn(thread: Thread<PostedBatch, unknown>): Writer {
  return {
    takesAll: true,
    commit: async (batch) => receiveResults((await thread.ask(batch.map(postRequest))) as string),
    stop: () => thread.stop(),
    died: thread.died,
  };
}

/** A writer on the caller's own connection, for a database in memory. */
export function writerOn(sql: Sql): SqliteWriter {
  const { writing, leftovers } = startWriting(sql);
  return {
    leftovers,
    takesAll: false,
    commit: async (batch) => {
      const results = applyBatch(writing, batch.map(encodeRequest));
      while (writing.trim.pending) writing.trim.some(sql);
      return results;
    },
    stop: async () => sql.close(),
  };
}
