import type { Figure } from "./figure.ts";

export interface BenchOptions {
  /** How often each part is measured. @default chosen by the bench */
  readonly repetitions?: number;
  readonly signal: AbortSignal;
}

/** A measurement that `npm run bench -- NAME` runs. */
export interface Bench {
  readonly name: string;
  /** One line that says what is measured, and how. */
  readonly description: string;
  run(options: BenchOptions): Promise<readonly Figure[]>;
  /** Formats the figures as a table; the first row is the heading. @default `measuredTable` */
  readonly table?: (figures: readonly Figure[]) => readonly (readonly string[])[];
  /** Whether the bench runs peers, which must be installed. @default false */
  readonly peers?: boolean;
}
