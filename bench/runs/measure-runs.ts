import { type Figure, median } from "../figure.ts";

const count = 500;
/** Not counted: a server is up for longer than V8 takes to compile it. */
const warmUp = 2_000;

/**
 * The figures of whole runs: many at once, and one alone.
 *
 * @param options.many does so many runs, so many at once, and says how long they took, in ms
 * @param options.databaseMs processor time of the database's own processes until now, where it has some
 */
export async function measureRuns(options: {
  readonly subject: string;
  readonly repetitions: number;
  readonly many: (count: number, atOnce: number) => Promise<number>;
  readonly databaseMs?: () => Promise<number>;
}): Promise<readonly Figure[]> {
  const { subject, repetitions, many, databaseMs } = options;
  const together: number[] = [];
  const alone: number[] = [];
  /** Ms a run, of this process in all its threads, and of the database's own. */
  const processor: number[] = [];
  const database: number[] = [];
  await many(warmUp, 32);
  for (let n = 0; n < repetitions; n++) {
    const before = process.cpuUsage();
    const databaseBefore = await databaseMs?.();
    together.push((count * 1_000) / (await many(count, 32)));
    const { user, system } = process.cpuUsage(before);
    processor.push((user + system) / 1_000 / count);
    const databaseNow = await databaseMs?.();
    if (databaseNow !== undefined && databaseBefore !== undefined)
      database.push((databaseNow - databaseBefore) / count);
    alone.push((await many(20, 1)) / 20);
  }
  const figure = (what: string, values: readonly number[], unit: string): readonly Figure[] =>
    values.length === 0 ? [] : [{ case: what, subject, value: median(values), unit }];
  return [
    ...figure("32 runs at once", together, "runs/s"),
    ...figure("processor a run", processor, "ms"),
    ...figure("processor a run, the database's", database, "ms"),
    ...figure("a run alone", alone, "ms"),
  ];
}
