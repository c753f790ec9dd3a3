import { type MessagePort, parentPort, receiveMessageOnPort } from "node:worker_threads";
import { errorDataOf } from "./error-data.ts";
import type { Reply } from "./thread.ts";

type Message = { readonly request: unknown } | { readonly stop: true };

/** So many requests are answered together, that none waits for an endless lot. */
const mostTogether = 16;

/** The other side of `startThread`: answers requests until it is told to stop. */
export function serveThread(options: {
  /** What it does, as the beginning of an error: `Writing to the store`. */
  readonly what: string;
  /** Answers in the order of the requests: one, or all that lie there, where they are done `together`. */
  readonly answer: (requests: readonly unknown[]) => readonly unknown[];
  readonly together?: boolean;
  readonly stop: () => void | Promise<void>;
  /** @default the thread's own */
  readonly port?: MessagePort | null;
}): void {
  const { port = parentPort } = options;
  if (port === null) throw new Error("This file runs in a worker thread.");
  const most = options.together === true ? mostTogether : 1;
  port.on("message", (first: Message) => {
    const requests: unknown[] = [];
    let message: Message | undefined = first;
    for (; message !== undefined && "request" in message; message = next(port)) {
      requests.push(message.request);
      if (requests.length === most) break;
    }
    if (requests.length > 0) port.postMessage(repliesTo(requests));
    if (message !== undefined && "stop" in message)
      void Promise.resolve(options.stop()).finally(() => port.close());
  });

  function repliesTo(requests: readonly unknown[]): readonly Reply<unknown>[] {
    try {
      return options.answer(requests).map((value) => ({ value }));
    } catch (thrown) {
      const error = errorDataOf(options.what, thrown);
      return requests.map(() => ({ error }));
    }
  }
}

/** What has come meanwhile. */
function next(port: MessagePort): Message | undefined {
  const received: { readonly message: Message } | undefined = receiveMessageOnPort(port);
  return received?.message;
}
