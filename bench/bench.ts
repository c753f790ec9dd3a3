import type { Figure } from "./figure.ts";

export interface BenchOptions {
  /** The number of measurements of each part. @default chosen by the bench */
  readonly repetitions?: number;
  readonly signal: AbortSignal;
}

/** A measurement that `npm run bench -- NAME` runs. */
export interface Bench {
  readonly name: string;
  /** One line that describes the measurement. */
  readonly description: string;
  run(options: BenchOptions): Promise<readonly Figure[]>;
  /** Formats the figures as a table; the first row is the heading. @default `measuredTable` */
  readonly table?: (figures: readonly Figure[]) => readonly (readonly string[])[];
  /** Whether the bench runs peers, which must be installed. @default false */
  readonly peers?: boolean;
}
