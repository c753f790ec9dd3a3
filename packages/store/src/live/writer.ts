import type { Thread } from "./thread.ts";
import { type PostedBatch, receiveResults } from "../encode/posted-batches.ts";
import { postRequest } from "../encode/post-request.ts";
import type { WriteResult } from "../records/write-results.ts";
import type { WriteRequest } from "../encode/encode-request.ts";
import type { CapstanError } from "@capstan/core";

/** The owner of the one connection that writes. */
export interface Writer {
  /** Whether `commit` may be called again before it resolves; queued batches share the next commit. */
  readonly isPipelined: boolean;
  commit(batch: readonly WriteRequest[]): Promise<readonly WriteResult[]>;
  stop(): Promise<void>;
  /** Resolves if it can write nothing any more. Absent where that cannot be. */
  readonly died?: Promise<CapstanError>;
}

/** Returns a writer that sends its batches to a thread. */
export function threadWriter(thread: Thread<PostedBatch, unknown>): Writer {
  return {
    isPipelined: true,
    commit: async (batch) => receiveResults((await thread.ask(batch.map(postRequest))) as string),
    stop: () => thread.stop(),
    died: thread.died,
  };
}
