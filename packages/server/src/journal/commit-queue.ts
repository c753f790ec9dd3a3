/** Group commit: what gathers while a commit is under way goes into the next one. No timer. */
export interface CommitQueue<Request, Result> {
  /** Rejects where the whole commit failed. */
  submit(request: Request): Promise<Result>;
  /** Calls back right before the next commit is made: what is submitted in the call is part of it. */
  beforeNext(submit: () => void): void;
  /** When everything that was given is done. */
  drained(): Promise<void>;
}

/** A commit takes at most this many calls, so that none of them waits for an endless one. */
const largestBatch = 4_096;

/**
 * @param commit writes a batch and gives its results in the same order
 * @param settle is told of each result, in order, before whoever submitted it hears of it
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
  let arriving: (() => void)[] = [];
  let running: Promise<void> | undefined;

  /** Begins as the event loop's turn ends: all that follows from one thing shares a commit. */
  function begin(): void {
    running ??= new Promise<void>((resolve) => setImmediate(resolve)).then(run);
  }

  async function run(): Promise<void> {
    while (queue.length > 0 || arriving.length > 0) {
      const arrived = arriving;
      arriving = [];
      for (const submit of arrived) submit();
      const batch = queue.splice(0, largestBatch);
      try {
        const results = await options.commit(batch.map((waiting) => waiting.request));
        for (const [index, waiting] of batch.entries()) finish(waiting, results[index]);
      } catch (error) {
        for (const waiting of batch) {
          options.settle(waiting.request, undefined);
          waiting.reject(error);
        }
      }
    }
    running = undefined;
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
      await running;
    },
  };
}
