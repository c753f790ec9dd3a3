/**
 * Does together what is asked for in one turn of the event loop, and while all that may be under way
 * at once is. No timer: who is alone waits for nobody. What fails together is done again one by one,
 * so that what is wrong with one, a damaged row, is only its asker's concern.
 *
 * @param work answers all that it is given, in order
 * @param options.atOnce how many lots may be under way. @default 1
 * @example
 * const nameOf = gather((ids: readonly string[]) => readNames(ids));
 * const names = await Promise.all([nameOf("a"), nameOf("b")]); // one call of readNames
 */
export function gather<Query, Answer>(
  work: (queries: readonly Query[]) => Promise<readonly Answer[]>,
  { atOnce = 1 }: { readonly atOnce?: number } = {},
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
    while (waiting.length > 0) await answer(waiting.splice(0, most));
    running -= 1;
  }

  return (query) =>
    new Promise((resolve, reject) => {
      waiting.push({ query, resolve, reject });
      if (isDue || running >= atOnce) return;
      isDue = true;
      setImmediate(() => void run());
    });
}

/** So many at once, so that nobody waits for an endless lot. */
const most = 256;
