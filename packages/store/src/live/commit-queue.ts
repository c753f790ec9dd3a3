import { setImmediate as endOfTurn } from "node:timers/promises";

/**
 * Group commit: requests that arrive during a commit are part of the next commit. There is no
 * timer.
 */
export interface CommitQueue<Request, Result> {
  /** Rejects if the whole commit failed. */
  submit(request: Request): Promise<Result>;
  /** Calls back right before the next commit; requests that the callback submits are part of it. */
  beforeNext(submit: () => void): void;
  /**
   * Resolves when all requests are settled. Runs pending `beforeNext` callbacks immediately,
   * because there may be no later commit.
   */
  drained(): Promise<void>;
}

/** The maximum number of requests in one commit, which bounds its duration. */
const maxBatch = 4_096;

/**
 * Creates a commit queue.
 *
 * @param commit writes a batch and returns its results in the same order
 * @param settle called with each result, in order, before the request's promise resolves
 */
export function createCommitQueue<Request, Result>(options: {
  readonly commit: (batch: readonly Request[]) => Promise<readonly Result[]>;
  readonly settle: (request: Request, result: Result | undefined) => Result | undefined;
}): CommitQueue<Request, Result> {
  interface Waiting {
    readonly request: Request;
    readonly resolve: (result: Result) => void;
    readonly reject: (reason: unknown) => void;
  }
  const queue: Waiting[] = [];
  let callbacks: (() => void)[] = [];
  let isScheduled = false;
  let running: Promise<void> | undefined;

  /**
   * A commit begins at the end of the event loop's turn, so that all requests of the turn share it.
   */
  function schedule(): void {
    if (isScheduled || running !== undefined || isEmpty()) return;
    isScheduled = true;
    setImmediate(start);
  }

  function start(): void {
    runCallbacks();
    isScheduled = false;
    if (queue.length > 0) running = commit(queue.splice(0, maxBatch));
  }

  function runCallbacks(): void {
    const now = callbacks;
    callbacks = [];
    for (const submit of now) submit();
  }

  function isEmpty(): boolean {
    return queue.length === 0 && callbacks.length === 0;
  }

  async function commit(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await options.commit(batch.map(({ request }) => request));
      for (const [index, waiting] of batch.entries()) finish(waiting, results[index]);
    } catch (error) {
      for (const { request, reject } of batch) {
        options.settle(request, undefined);
        reject(error);
      }
    }
    running = undefined;
    schedule();
  }

  function finish({ request, resolve, reject }: Waiting, result: Result | undefined): void {
    const settled = options.settle(request, result);
    if (settled === undefined) reject(new Error("The writer returned no result for a request."));
    else resolve(settled);
  }

  return {
    submit: (request) =>
      new Promise((resolve, reject) => {
        queue.push({ request, resolve, reject });
        schedule();
      }),
    beforeNext: (submit) => {
      callbacks.push(submit);
      schedule();
    },
    drained: async () => {
      runCallbacks();
      while (!isEmpty() || running !== undefined) {
        await running;
        if (!isEmpty()) await endOfTurn();
      }
    },
  };
}
