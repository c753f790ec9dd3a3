import { setImmediate as endOfTurn } from "node:timers/promises";

/** Group commit: what gathers while a commit is under way goes into the next one. No timer. */
export interface CommitQueue<Request, Result> {
  /** Rejects where the whole commit failed. */
  submit(request: Request): Promise<Result>;
  /** Calls back right before the next commit is made: what is submitted in the call is part of it. */
  beforeNext(submit: () => void): void;
  /** When everything that was given is done. Who waits for the next commit is called at once: later nothing may be taken. */
  drained(): Promise<void>;
}

/** A commit takes at most this many calls, so that none of them waits for an endless one. */
const largestBatch = 4_096;

/**
 * So many hear of their results at once. Where there are more, half of them do, and the others in
 * the next turn of the event loop: what the first give next is written while the others are told.
 */
const toldAtOnce = 16;

/**
 * @param commit writes a batch and gives its results in the same order
 * @param takesAll `commit` is given more before it is done, and does all that lies there by then
 * together: who writes need not wait for who gathers. @default false
 * @param settle is told of each result, in order, before whoever submitted it hears of it
 */
export function createCommitQueue<Request, Result>(options: {
  readonly commit: (batch: readonly Request[]) => Promise<readonly Result[]>;
  readonly takesAll?: boolean;
  readonly settle: (request: Request, result: Result | undefined) => Result | undefined;
}): CommitQueue<Request, Result> {
  interface Waiting {
    readonly request: Request;
    readonly resolve: (result: Result) => void;
    readonly reject: (reason: unknown) => void;
  }
  const { takesAll = false } = options;
  const queue: Waiting[] = [];
  let arriving: (() => void)[] = [];
  let running = 0;
  /** How many calls were given beside a commit, and go into the next one. */
  let lying = 0;
  let begins = false;
  /** Until everybody of the newest commit has heard of it, and so of all before. */
  let told: Promise<void> = Promise.resolve();

  /** Begins as the event loop's turn ends: all that follows from one thing shares a commit. */
  function begin(): void {
    if (begins || !isDue()) return;
    begins = true;
    setImmediate(giveDue);
  }

  function giveDue(): void {
    begins = true;
    if (isDue()) {
      takeArrived();
      if (queue.length > 0) give(queue.splice(0, largestBatch));
    }
    // Not before: what is submitted here goes with this commit, and asks for none beside it.
    begins = false;
    begin();
  }

  /**
   * Beside a commit, more is given at once when it makes what lies there a quarter larger: four fifths
   * or more of what comes are in the next commit, however long this one takes, and few messages carry it.
   */
  function isDue(): boolean {
    if (isEmpty() || running === 0) return !isEmpty();
    return takesAll && queue.length + arriving.length >= lying / 4;
  }

  function give(batch: readonly Waiting[]): void {
    if (running > 0) lying += batch.length;
    told = commit(batch, told);
  }

  function takeArrived(): void {
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
    lying = 0;
    await before;
    running -= 1;
    begin();
    const half = Math.max(toldAtOnce, Math.ceil(batch.length / 2));
    for (const [index, waiting] of batch.entries()) {
      if (index === half) {
        await endOfPromises();
        giveDue();
        await endOfTurn();
      }
      if ("error" in done) fail(waiting, done.error);
      else finish(waiting, done.results[index]);
    }
    // Before the loop's turn ends: else others hear of theirs meanwhile, all gather in one commit,
    // and while that is written nobody has anything to do.
    await endOfPromises();
    giveDue();
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
        begin();
      }),
    beforeNext: (submit) => {
      arriving.push(submit);
      begin();
    },
    drained: async () => {
      takeArrived();
      while (!isEmpty() || running > 0) {
        await told;
        if (!isEmpty()) await endOfTurn();
      }
      await told;
    },
  };
}

/** When all has happened that follows from what is settled now, and before anything else does. */
function endOfPromises(): Promise<void> {
  return new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve)));
}
