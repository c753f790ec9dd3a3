import { type MessagePort, parentPort } from "node:worker_threads";
import type { ErrorData } from "../records/error-data.ts";
import type { Reply } from "./thread.ts";

type Message = { readonly request: unknown } | { readonly stop: true };

/** The thread's side of `startThread`: answers requests one after another until it is stopped. */
export function serveThread(options: {
  readonly answer: (request: unknown) => unknown;
  /** Returns the error for a request whose `answer` failed. */
  readonly failure: (thrown: unknown) => ErrorData;
  readonly stop: () => void | Promise<void>;
  /** @default the thread's own */
  readonly port?: MessagePort | null;
}): void {
  const { answer, failure, stop, port = parentPort } = options;
  if (port === null) throw new Error("This file runs in a worker thread.");

  let last = Promise.resolve();
  port.on("message", (message: Message) => {
    last = last.then(async () => {
      if ("request" in message) port.postMessage(await replyTo(message.request));
      // No request follows `stop`.
      else void Promise.resolve(stop()).finally(() => port.close());
    });
  });

  async function replyTo(request: unknown): Promise<Reply<unknown>> {
    try {
      return { value: await answer(request) };
    } catch (thrown) {
      return { error: failure(thrown) };
    }
  }
}
