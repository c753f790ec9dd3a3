import { type MessagePort, parentPort, receiveMessageOnPort } from "node:worker_threads";
import type { ErrorData } from "../records/error-data.ts";
import type { Reply } from "./thread.ts";

type Message = { readonly request: unknown } | { readonly stop: true };
type Answers = readonly unknown[];
type Replies = readonly Reply<unknown>[];

/** So many requests are answered together, that none waits for an endless lot. */
const mostTogether = 64;

/** The other side of `startThread`: answers requests, one lot after the other, until it is told to stop. */
export function serveThread(options: {
  /**
   * Answers in the order of the requests: one, or all that lie there, where they are done `together`.
   * It may ask for the next lot before it is done with this one; else that comes when it is.
   */
  readonly answer: (requests: readonly unknown[], next: () => void) => Answers | Promise<Answers>;
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
  let isBusy = false;
  /** When all lots that were taken are answered. */
  let answered: Promise<void> = Promise.resolve();

  port.on("message", (message: Message) => {
    lying.push(message);
    if (!isBusy) goOn(port);
  });

  function goOn(port: MessagePort): void {
    const requests = nextLot(port);
    if (requests.length > 0) answerLot(port, requests);
    if (isBusy || lying.length === 0) return;
    // What lies there is no request: nothing comes after it.
    isBusy = true;
    void answered.then(stop).finally(() => port.close());
  }

  function answerLot(port: MessagePort, requests: readonly unknown[]): void {
    let isOver = false;
    const next = (): void => {
      if (isOver) return;
      isOver = true;
      isBusy = false;
      goOn(port);
    };
    isBusy = true;
    const before = answered;
    const done = Promise.withResolvers<void>();
    answered = done.promise;
    const replies = repliesTo(requests, next);
    if (replies instanceof Promise) {
      void (async () => {
        await before;
        port.postMessage(await replies);
        done.resolve();
        next();
      })();
      return;
    }
    port.postMessage(replies);
    done.resolve();
    isBusy = false;
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

  function repliesTo(requests: readonly unknown[], next: () => void): Replies | Promise<Replies> {
    const failed = (thrown: unknown): Replies => {
      const error = failure(thrown);
      return requests.map(() => ({ error }));
    };
    try {
      const answers = answer(requests, next);
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
