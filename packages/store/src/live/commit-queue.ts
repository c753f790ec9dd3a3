import { setImmediate as endOfTurn } from "node:timers/promises";

/** Group commit: requests that arrive during a commit go into the next one. There is no timer. */
export interface CommitQueue<Request, Result> {
  /** Rejects if the whole commit failed. */
  submit(request: Request): Promise<Result>;
  /** Calls back right before the next commit; requests that the callback submits are part of it. */
  beforeNext(submit: () => void): void;
  /** Resolves when all requests are settled. Runs pending `beforeNext` callbacks at once, as there may be no later commit. */
  drained(): Promise<void>;
}

/** Maximum number of requests in one commit, so that a commit ends in time. */
const largestBatch = 4_096;

/**
 * Number of requests that settle in one turn of the event loop. Of a larger commit, half settle at
 * once and the others in the next turn, so that the requests that follow the first half are written
 * while the second half settles.
 */
const settledAtOnce = 16;

/**
 * @param commit writes a batch and gives its results in the same order
 * @param isPipelined whether `commit` may be called again before it resolves; it commits all batches
 * that it has by then together. @default false
 * @param settle called with each result, in order, before the request's promise resolves
 */
export function createCommitQueue<Request, Result>(options: {
  readonly commit: (batch: readonly Request[]) => Promise<readonly Result[]>;
  readonly isPipelined?: boolean;
  readonly settle: (request: Request, result: Result | undefined) => Result | undefined;
}): CommitQueue<Request, Result> {
  interface Waiting {
    readonly request: Request;
    readonly resolve: (result: Result) => void;
    readonly reject: (reason: unknown) => void;
  }
  const { isPipelined = false } = options;
  const queue: Waiting[] = [];
  let arriving: (() => void)[] = [];
  let running = 0;
  /** Number of requests that were passed to `commit` during a commit, for the next one. */
  let queuedMeanwhile = 0;
  let isScheduled = false;
  /** Resolves when the requests of the newest commit, and of all before, are settled. */
  let allSettled: Promise<void> = Promise.resolve();

  /** Begins as the event loop's turn ends: all that follows from one thing shares a commit. */
  function schedule(): void {
    if (isScheduled || !isDue()) return;
    isScheduled = true;
    setImmediate(commitDue);
  }

  function commitDue(): void {
    isScheduled = true;
    if (isDue()) {
      runArriving();
      if (queue.length > 0) startCommit(queue.splice(0, largestBatch));
    }
    // Not before: what is submitted here goes with this commit, and asks for none beside it.
    isScheduled = false;
    schedule();
  }

  /**
   * Beside a commit, more is given at once when it makes what lies there a quarter larger: four fifths
   * or more of what comes are in the next commit, however long this one takes, and few messages carry it.
   */
  function isDue(): boolean {
    if (isEmpty() || running === 0) return !isEmpty();
    return isPipelined && queue.length + arriving.length >= queuedMeanwhile / 4;
  }

  function startCommit(batch: readonly Waiting[]): void {
    if (running > 0) queuedMeanwhile += batch.length;
    allSettled = commit(batch, allSettled);
  }

  function runArriving(): void {
    const arrived = arriving;
    arriving = [];
    for (const submit of arrived) submit();
  }

  function isEmpty(): boolean {
    return queue.length === 0 && arriving.length === 0;
  }

  async function commit(batch: readonly Waiting[], before: Promise<void>): Promise<void> {
    running += 1;
    const done = await resultsOf(batch);
    // What was given beside it is being written now.
    queuedMeanwhile = 0;
    await before;
    running -= 1;
    schedule();
    const half = Math.max(settledAtOnce, Math.ceil(batch.length / 2));
    for (const [index, waiting] of batch.entries()) {
      if (index === half) {
        await microtasksDone();
        commitDue();
        await endOfTurn();
      }
      if ("error" in done) fail(waiting, done.error);
      else finish(waiting, done.results[index]);
    }
    // Before the loop's turn ends: else others hear of theirs meanwhile, all gather in one commit,
    // and while that is written nobody has anything to do.
    await microtasksDone();
    commitDue();
  }

  async function resultsOf(batch: readonly Waiting[]) {
    try {
      return { results: await options.commit(batch.map((waiting) => waiting.request)) };
    } catch (error) {
      return { error };
    }
  }

  function fail(waiting: Waiting, error: unknown): void {
    options.settle(waiting.request, undefined);
    waiting.reject(error);
  }

  function finish(waiting: Waiting, result: Result | undefined): void {
    const settled = options.settle(waiting.request, result);
    if (settled === undefined) waiting.reject(new Error("The writer gave no result for a call."));
    else waiting.resolve(settled);
  }

  return {
    submit: (request) =>
      new Promise((resolve, reject) => {
        queue.push({ request, resolve, reject });
        schedule();
      }),
    beforeNext: (submit) => {
      arriving.push(submit);
      schedule();
    },
    drained: async () => {
      runArriving();
      while (!isEmpty() || running > 0) {
        await allSettled;
        if (!isEmpty()) await endOfTurn();
      }
      await allSettled;
    },
  };
}

/** When all has happened that follows from what is settled now, and before anything else does. */
function microtasksDone(): Promise<void> {
  return new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)));
}
