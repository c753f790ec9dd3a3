/* oxlint-disable unicorn/require-post-message-target-origin -- a worker thread is no window */
import { Worker } from "node:worker_threads";
import { type ErrorData, errorDataOf } from "./error-data.ts";
import { receivedError } from "./store-error.ts";

/** What a thread answers to one request. */
export type Reply<T> = { readonly value: T } | { readonly error: ErrorData };

/** A worker thread that answers requests in their order. */
export interface Thread<Request, Response> {
  /** Rejects with what the thread reports, or because the thread died. */
  ask(request: Request): Promise<Response>;
  /** Lets the thread finish what it has, and end. */
  stop(): Promise<void>;
}

/**
 * Starts a thread from a file of this folder.
 *
 * @param name without an ending: from source the file is `.ts`, from the build `.js`
 */
export function startThread<Request, Response>(
  name: string,
  workerData: unknown,
): Thread<Request, Response> {
  const ending = import.meta.url.endsWith(".ts") ? "ts" : "js";
  const worker = new Worker(new URL(`./${name}.${ending}`, import.meta.url), { workerData });
  /** In the order of their answers. */
  const waiting: PromiseWithResolvers<Response>[] = [];
  let dead: ErrorData | undefined;

  const die = (error: ErrorData) => {
    dead ??= error;
    for (const { reject } of waiting.splice(0)) reject(receivedError(dead));
  };
  worker.on("message", (replies: readonly Reply<Response>[]) => {
    for (const reply of replies) {
      const asked = waiting.shift();
      if ("error" in reply) asked?.reject(receivedError(reply.error));
      else asked?.resolve(reply.value);
    }
  });
  worker.on("error", (thrown) => die(errorDataOf("The store's thread", thrown)));
  worker.on("exit", () =>
    die({ code: "store_closed", message: "The store is closed: nothing can be read or written." }),
  );

  return {
    ask: async (request) => {
      if (dead !== undefined) throw receivedError(dead);
      // What cannot be posted throws, and then nothing waits for an answer.
      worker.postMessage({ request });
      const answer = Promise.withResolvers<Response>();
      waiting.push(answer);
      return await answer.promise;
    },
    stop: async () => {
      if (dead !== undefined) return;
      const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
      worker.postMessage({ stop: true });
      await ended;
    },
  };
}
