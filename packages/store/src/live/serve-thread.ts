import { type MessagePort, parentPort, receiveMessageOnPort } from "node:worker_threads";
import type { ErrorData } from "../records/error-data.ts";
import type { Reply } from "./thread.ts";

type Message = { readonly request: unknown } | { readonly stop: true };

/** Maximum number of requests in one batch, so that a batch ends in time. */
const maxBatch = 64;

/** The other side of `startThread`: answers requests in their order until it is stopped. */
export function serveThread(options: {
  /** Returns the answers in the order of the requests: of one request, or of all queued ones if `together` is set. */
  readonly answer: (requests: readonly unknown[]) => readonly unknown[];
  /** Returns the error for all requests of a batch whose `answer` failed. */
  readonly failure: (thrown: unknown) => ErrorData;
  readonly together?: boolean;
  readonly stop: () => void | Promise<void>;
  /** @default the thread's own */
  readonly port?: MessagePort | null;
}): void {
  const { answer, failure, stop, port = parentPort } = options;
  if (port === null) throw new Error("This file runs in a worker thread.");
  const batchLimit = options.together === true ? maxBatch : 1;

  port.on("message", (first: Message) => {
    const batch: unknown[] = [];
    let message: Message | undefined = first;
    while (message !== undefined && "request" in message) {
      batch.push(message.request);
      message = batch.length < batchLimit ? receive(port) : undefined;
    }
    if (batch.length > 0) port.postMessage(repliesTo(batch));
    // Nothing comes after `stop`.
    if (message !== undefined) void Promise.resolve(stop()).finally(() => port.close());
  });

  function repliesTo(requests: readonly unknown[]): readonly Reply<unknown>[] {
    try {
      return answer(requests).map((value) => ({ value }));
    } catch (thrown) {
      const error = failure(thrown);
      return requests.map(() => ({ error }));
    }
  }
}

/** Returns the next message of the port, or undefined if there is none. */
function receive(port: MessagePort): Message | undefined {
  const received: { readonly message: Message } | undefined = receiveMessageOnPort(port);
  return received?.message;
}
