/** One measured number. */
export interface Figure {
  /** What was measured: `sequential-round`. */
  readonly case: string;
  /** Who was measured: `capstan`, or a peer's package name. */
  readonly subject: string;
  readonly value: number;
  readonly unit: string;
}

export interface BenchOptions {
  /** Measured repetitions; a figure is their median. @default what the bench finds fit */
  readonly repetitions?: number;
  readonly signal: AbortSignal;
}

/** A measurement that `npm run bench -- NAME` runs. */
export interface Bench {
  readonly name: string;
  /** One line: what is measured, and how. */
  readonly description: string;
  run(options: BenchOptions): AsyncIterable<Figure>;
  /** Its figures as a table; the first line is the heading. @default a row a case, a column a subject */
  readonly table?: (figures: readonly Figure[]) => readonly (readonly string[])[];
  /** It measures beside others, which must be installed. @default false */
  readonly peers?: boolean;
}

/** The middle value; of an even count the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined)
    throw new Error("The median of no values was asked for.");
  return (lower + upper) / 2;
}
