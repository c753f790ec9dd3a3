import { type MessagePort, parentPort, receiveMessageOnPort } from "node:worker_threads";
import type { ErrorData } from "./error-data.ts";
import type { Reply } from "./thread.ts";

type Message = { readonly request: unknown } | { readonly stop: true };
type Answers = readonly unknown[];
type Replies = readonly Reply<unknown>[];

/** So many requests are answered together, that none waits for an endless lot. */
const mostTogether = 16;

/** The other side of `startThread`: answers requests, one lot after the other, until it is told to stop. */
export function serveThread(options: {
  /** Answers in the order of the requests: one, or all that lie there, where they are done `together`. */
  readonly answer: (requests: readonly unknown[]) => Answers | Promise<Answers>;
  /** What all of a lot are told where `answer` fails. */
  readonly failure: (thrown: unknown) => ErrorData;
  readonly together?: boolean;
  readonly stop: () => void | Promise<void>;
  /** @default the thread's own */
  readonly port?: MessagePort | null;
}): void {
  const { answer, failure, stop, port = parentPort } = options;
  if (port === null) throw new Error("This file runs in a worker thread.");
  const most = options.together === true ? mostTogether : 1;
  /** What came and is not answered: others are. */
  const lying: Message[] = [];
  let isAnswering = false;

  port.on("message", (message: Message) => {
    lying.push(message);
    if (!isAnswering) goOn(port);
  });

  function goOn(port: MessagePort): void {
    const requests = nextLot(port);
    const replies = requests.length === 0 ? [] : repliesTo(requests);
    if (replies instanceof Promise) {
      isAnswering = true;
      void replies.then((all) => {
        isAnswering = false;
        port.postMessage(all);
        if (lying.length > 0) goOn(port);
      });
      return;
    }
    if (requests.length > 0) port.postMessage(replies);
    if (lying.some((message) => "stop" in message))
      void Promise.resolve(stop()).finally(() => port.close());
  }

  function nextLot(port: MessagePort): readonly unknown[] {
    const lot: unknown[] = [];
    while (lot.length < most) {
      const message = lying[0] ?? receive(port);
      if (message === undefined) break;
      if ("stop" in message) {
        if (lying.length === 0) lying.push(message);
        break;
      }
      lying.shift();
      lot.push(message.request);
    }
    return lot;
  }

  function repliesTo(requests: readonly unknown[]): Replies | Promise<Replies> {
    const failed = (thrown: unknown): Replies => {
      const error = failure(thrown);
      return requests.map(() => ({ error }));
    };
    try {
      const answers = answer(requests);
      return answers instanceof Promise ? answers.then(replied, failed) : replied(answers);
    } catch (thrown) {
      return failed(thrown);
    }
  }
}

function replied(answers: Answers): Replies {
  return answers.map((value) => ({ value }));
}

/** What has come meanwhile. */
function receive(port: MessagePort): Message | undefined {
  const received: { readonly message: Message } | undefined = receiveMessageOnPort(port);
  return received?.message;
}
