/* oxlint-disable unicorn/require-post-message-target-origin -- a worker thread is not a window */
import { Worker } from "node:worker_threads";
import type { CapstanError } from "@capstan/core";
import { errorMessage } from "@capstan/core/base";
import { type ErrorData, errorDataOf } from "../records/error-data.ts";
import { receivedError } from "../records/store-error.ts";
import { type EncodedRequest, isCommit } from "../encode/run-commit.ts";
import type { WriteResult } from "../records/write-results.ts";

/** A thread's answer to one request. */
export type Reply<T> = { readonly value: T } | { readonly error: ErrorData };

const closed: ErrorData = {
  code: "store_closed",
  message: "The store is closed: nothing can be read or written.",
};

/** A request in progress can have been committed before the thread could answer. */
function diedOf(reason: unknown): ErrorData {
  const { code } = errorDataOf("", reason);
  const why = reason instanceof Error ? reason.message : String(reason);
  return {
    code,
    message: `The store's thread died: ${why}. Its last requests may have been committed or not. Nothing more can be stored until the store is opened again.`,
  };
}

/** A worker thread that answers requests in order. */
export interface Thread<Request, Response> {
  /** Rejects with the thread's error, or because the thread died. */
  ask(request: Request): Promise<Response>;
  /**
   * Resolves if the thread dies before `stop`: it then answers no more requests.
   */
  readonly died: Promise<CapstanError>;
  /** Lets the thread finish its requests, and stops it. */
  stop(): Promise<void>;
}

/**
 * Starts a thread from a file next to the caller's.
 *
 * @param name the file's name without its extension, which is `.ts` in the sources and `.js` in the
 * build
 * @param caller the caller's `import.meta.url`
 */
export function startThread<Request, Response>(
  name: string,
  caller: string,
  workerData: unknown,
): Thread<Request, Response> {
  const extension = caller.endsWith(".ts") ? "ts" : "js";
  const worker = new Worker(new URL(`./${name}.${extension}`, caller), { workerData });
  /** Requests in the order of their answers. */
  const waiting: PromiseWithResolvers<Response>[] = [];
  const died = Promise.withResolvers<CapstanError>();
  let dead: ErrorData | undefined;
  let stops = false;

  const die = (error: ErrorData) => {
    dead ??= error;
    if (!stops) died.resolve(receivedError(dead));
    for (const { reject } of waiting.splice(0)) reject(receivedError(dead));
  };
  worker.on("message", (reply: Reply<Response>) => {
    const asked = waiting.shift();
    if ("error" in reply) asked?.reject(receivedError(reply.error));
    else asked?.resolve(reply.value);
  });
  worker.on("error", (thrown) => die(diedOf(thrown)));
  // Replies are matched by order. If one reply cannot be read, each later reply would be matched to
  // the wrong request.
  worker.on("messageerror", (thrown) => {
    die(diedOf(thrown));
    void worker.terminate();
  });
  worker.on("exit", () => die(stops ? closed : diedOf("it ended")));

  return {
    died: died.promise,
    ask: async (request) => {
      if (dead !== undefined) throw receivedError(dead);
      // A value that cannot be posted throws here, before a request waits for an answer.
      worker.postMessage({ request });
      const answer = Promise.withResolvers<Response>();
      waiting.push(answer);
      return await answer.promise;
    },
    stop: async () => {
      stops = true;
      if (dead !== undefined) return;
      const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
      worker.postMessage({ stop: true });
      await exited;
    },
  };
}

/** The owner of the only connection that writes. */
export interface Writer {
  /** Writes a batch. It must not be called again before it has resolved. */
  commit(batch: readonly EncodedRequest[]): Promise<readonly WriteResult[]>;
  stop(): Promise<void>;
  /** Resolves if the writer can no longer write. Absent if that cannot happen. */
  readonly died?: Promise<CapstanError>;
}

/** Returns a writer that sends its batches to a thread. */
export function threadWriter(
  thread: Thread<readonly EncodedRequest[], readonly WriteResult[]>,
): Writer {
  return {
    commit: async (batch) => {
      try {
        return await thread.ask(batch);
      } catch (thrown) {
        if (!isUncloneable(thrown)) throw thrown;
        return thread.ask(batch.map(cloneable));
      }
    },
    stop: () => thread.stop(),
    died: thread.died,
  };
}

/**
 * Replaces a request that cannot be posted: only this request and the later commits of its run
 * fail.
 */
function cloneable(request: EncodedRequest): EncodedRequest {
  try {
    return structuredClone(request);
  } catch (thrown) {
    const { at, writes } = request;
    return { at, writes: writes.filter(isCommit), encodeError: errorMessage(thrown) };
  }
}

/**
 * Returns whether an error says that a value cannot be posted: it contains a function, or is nested
 * too deeply.
 */
function isUncloneable(thrown: unknown): boolean {
  return (
    thrown instanceof RangeError ||
    (thrown instanceof DOMException && thrown.name === "DataCloneError")
  );
}
