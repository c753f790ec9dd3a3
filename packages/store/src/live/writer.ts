import type { Thread } from "./thread.ts";
import { type PostedBatch, receiveResults } from "../encode/posted-batches.ts";
import { postRequest } from "../encode/post-request.ts";
import type { WriteResult } from "../records/write-results.ts";
import type { WriteRequest } from "../encode/encode-request.ts";
import type { CapstanError } from "@capstan/core";

/** The owner of the one connection that writes. */
export interface Writer {
  /** Whether it may be given more while it writes: it takes all that lies there into its next commit. */
  readonly takesAll: boolean;
  commit(batch: readonly WriteRequest[]): Promise<readonly WriteResult[]>;
  stop(): Promise<void>;
  /** Resolves if it can write nothing any more. Absent where that cannot be. */
  readonly died?: Promise<CapstanError>;
}

/** Returns a writer that sends its batches to a thread. */
export function threadWriter(thread: Thread<PostedBatch, unknown>): Writer {
  return {
    takesAll: true,
    commit: async (batch) => receiveResults((await thread.ask(batch.map(postRequest))) as string),
    stop: () => thread.stop(),
    died: thread.died,
  };
}
