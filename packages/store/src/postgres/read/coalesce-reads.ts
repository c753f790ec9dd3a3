import { type Script, together } from "../../sql/script.ts";
import type { PostgresReads } from "./postgres-reads.ts";

/**
 * Coalesces the reads of one turn of the event loop, and those that arrive while `concurrency`
 * batches are running, into one batch. There is no timer, so a single read is not delayed. If a
 * batch fails, its reads run again one by one, so that a corrupt row only fails its own read.
 *
 * @param work answers all queries of a batch, in their order
 * @param options.concurrency the maximum number of concurrent batches.
 * @default 1
 * @example
 * const nameOf = coalesceReads((ids: readonly string[]) => readNames(ids));
 * const names = await Promise.all([nameOf("a"), nameOf("b")]); // one call of readNames
 */
export function coalesceReads<Query, Answer>(
  work: (queries: readonly Query[]) => Promise<readonly Answer[]>,
  { concurrency = 1 }: { readonly concurrency?: number } = {},
): (query: Query) => Promise<Answer> {
  interface Asked {
    readonly query: Query;
    readonly resolve: (answer: Answer) => void;
    readonly reject: (reason: unknown) => void;
  }
  const waiting: Asked[] = [];
  let running = 0;
  let isDue = false;

  async function answer(asked: readonly Asked[]): Promise<void> {
    try {
      const answers = await work(asked.map(({ query }) => query));
      for (const [index, { resolve }] of asked.entries()) resolve(answers[index] as Answer);
    } catch (error) {
      if (asked.length === 1) asked[0]?.reject(error);
      else await Promise.all(asked.map((each) => answer([each])));
    }
  }

  async function run(): Promise<void> {
    isDue = false;
    running += 1;
    while (waiting.length > 0) await answer(waiting.splice(0, maxBatch));
    running -= 1;
  }

  return (query) =>
    new Promise((resolve, reject) => {
      waiting.push({ query, resolve, reject });
      if (isDue || running >= concurrency) return;
      isDue = true;
      setImmediate(() => void run());
    });
}

/** The maximum number of reads in a batch, which bounds how long they wait for each other. */
const maxBatch = 256;

/** Two, so that a long read does not delay all others. */
const concurrency = 2;

/**
 * Coalesces the short reads of one turn of the event loop into one transaction, which sees one
 * snapshot.
 */
export function coalesceScripts(snapshot: PostgresReads["snapshot"]): PostgresReads["read"] {
  const readTogether = coalesceReads(
    (scripts: readonly (() => Script<unknown>)[]): Promise<readonly unknown[]> =>
      snapshot(() => together(scripts.map((script) => script()))),
    { concurrency },
  );
  return async <T>(script: () => Script<T>): Promise<T> => (await readTogether(script)) as T;
}
