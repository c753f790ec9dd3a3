import { type MessagePort, parentPort, receiveMessageOnPort } from "node:worker_threads";
import type { ErrorData } from "../records/error-data.ts";
import type { Reply } from "./thread.ts";

type Message = { readonly request: unknown } | { readonly stop: true };
type Answers = readonly unknown[];
type Replies = readonly Reply<unknown>[];

/** Maximum number of requests in one batch, so that a batch ends in time. */
const maxBatch = 64;

/** The other side of `startThread`: answers requests, one batch after another, until it is stopped. */
export function serveThread(options: {
  /**
   * Returns the answers in the order of the requests: of one request, or of all queued ones if
   * `together` is set. It may call `next` to get the next batch before this one is answered.
   */
  readonly answer: (requests: readonly unknown[], next: () => void) => Answers | Promise<Answers>;
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
  /** Messages that arrived while a batch is answered. */
  const queued: Message[] = [];
  let isBusy = false;
  /** Resolves when all batches so far are answered. */
  let answered: Promise<void> = Promise.resolve();

  port.on("message", (message: Message) => {
    queued.push(message);
    if (!isBusy) processNext(port);
  });

  function processNext(port: MessagePort): void {
    const requests = nextBatch(port);
    if (requests.length > 0) answerBatch(port, requests);
    if (isBusy || queued.length === 0) return;
    // The queued message is `stop`, the last one.
    isBusy = true;
    void answered.then(stop).finally(() => port.close());
  }

  function answerBatch(port: MessagePort, requests: readonly unknown[]): void {
    let isOver = false;
    const next = (): void => {
      if (isOver) return;
      isOver = true;
      isBusy = false;
      processNext(port);
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

  function nextBatch(port: MessagePort): readonly unknown[] {
    const batch: unknown[] = [];
    while (batch.length < batchLimit) {
      const message = queued[0] ?? receive(port);
      if (message === undefined) break;
      if ("stop" in message) {
        if (queued.length === 0) queued.push(message);
        break;
      }
      queued.shift();
      batch.push(message.request);
    }
    return batch;
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

/** Returns the next message of the port, or undefined if there is none. */
function receive(port: MessagePort): Message | undefined {
  const received: { readonly message: Message } | undefined = receiveMessageOnPort(port);
  return received?.message;
}
