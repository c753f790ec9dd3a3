import { type Figure, measuredFigure } from "../figure.ts";

const count = 500;
/**
 * Warm-up runs, which are not counted, because a real server runs longer than V8 needs to compile
 * its code.
 */
const warmUp = 2_000;

/**
 * Measures whole runs: many at the same time, and one alone.
 *
 * @param options.many runs `count` runs, `atOnce` at a time, and returns how long they took, in ms
 * @param options.databaseMs processor time that the database's own processes have used, if it has
 * any
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
  /** Processor time per run in ms, of all threads of this process and of the database. */
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
    values.length === 0 ? [] : [measuredFigure({ case: what, subject, unit }, values)];
  return [
    ...figure("32 runs at once", together, "runs/s"),
    ...figure("processor time per run", processor, "ms"),
    ...figure("processor time per run, database", database, "ms"),
    ...figure("one run alone", alone, "ms"),
  ];
}
