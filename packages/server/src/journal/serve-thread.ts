import { parentPort } from "node:worker_threads";
import { errorDataOf } from "./error-data.ts";
import type { Reply } from "./thread.ts";

/** The other side of `startThread`: answers requests until it is told to stop. */
export function serveThread(options: {
  /** What it does, as the beginning of an error: `Writing to the store`. */
  readonly what: string;
  readonly answer: (request: unknown) => unknown;
  readonly stop: () => void | Promise<void>;
}): void {
  const port = parentPort;
  if (port === null) throw new Error("This file runs in a worker thread.");
  port.on("message", (message: { id: number; request: unknown } | { stop: true }) => {
    if ("stop" in message) {
      void Promise.resolve(options.stop()).finally(() => port.close());
      return;
    }
    port.postMessage(replyTo(message.id, message.request));
  });

  function replyTo(id: number, request: unknown): Reply<unknown> {
    try {
      return { id, value: options.answer(request) };
    } catch (thrown) {
      return { id, error: errorDataOf(options.what, thrown) };
    }
  }
}
