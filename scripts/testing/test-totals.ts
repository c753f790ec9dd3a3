/** The results of a set of tests. */
export interface TestTotals {
  readonly passed: number;
  readonly failed: number;
  /** Reason → how many tests gave it. */
  readonly skipped: { readonly [reason: string]: number };
}

/** By a file's path from the repository's root. */
export interface TotalsByFile {
  readonly [file: string]: TestTotals;
}

/** The time that each file took in ms, by its path from the repository's root. */
export interface MsByFile {
  readonly [file: string]: number;
}

/** A test that failed, for the list at the end of a run. */
export interface FailedTest {
  /** The path from the repository's root; empty if no test file is to blame. */
  readonly file: string;
  readonly line?: number;
  readonly name: string;
  /** The error, with its causes. */
  readonly error: string;
}

/** The results of a run, as its reporter writes them. */
export interface ReportedRun {
  readonly totals: TotalsByFile;
  readonly ms: MsByFile;
  readonly failures: readonly FailedTest[];
}

export function sumTotals(parts: readonly TestTotals[]): TestTotals {
  const skipped: Record<string, number> = {};
  for (const [reason, count] of parts.flatMap((part) => Object.entries(part.skipped)))
    skipped[reason] = (skipped[reason] ?? 0) + count;
  return {
    passed: parts.reduce((total, { passed }) => total + passed, 0),
    failed: parts.reduce((total, { failed }) => total + failed, 0),
    skipped,
  };
}
