import { runTests, type TestResult, type TestRun } from "./run-tests.ts";
import { sumTotals } from "./test-totals.ts";

/** If more files fail, this is not chance, and they are not run again. */
const mostFiles = 5;

export interface RepeatedResult extends TestResult {
  /** Files that failed, and passed when they were run again. */
  readonly flaky: readonly string[];
}

/**
 * Runs test files with `start`. Files that fail run once more, alone. A file that fails again has failed, and a
 * file that passes is `flaky`. Every failure is printed, also that of a flaky file.
 */
export async function runTestsAgain(
  run: TestRun,
  start: (run: TestRun) => Promise<TestResult> = runTests,
): Promise<RepeatedResult> {
  const { print = console.log } = run;
  const first = await start(run);
  const failed = Object.keys(first.byFile).filter((file) => hasFailed(first, file));
  const canRepeat = first.isWhole && failed.every((file) => run.files.includes(file));
  if (!canRepeat || failed.length === 0 || failed.length > mostFiles)
    return { ...first, flaky: [] };

  print(`\nThese files failed and run again, alone: ${failed.join(", ")}`);
  const second = await runTests({ ...run, files: failed, concurrency: 1 });
  const byFile = { ...first.byFile, ...second.byFile };
  const totals = sumTotals(Object.values(byFile));
  const flaky = second.isWhole ? failed.filter((file) => !hasFailed(second, file)) : [];
  for (const file of flaky)
    print(`\n⚠ ${file} is flaky: it failed as shown above, and then passed.`);
  return {
    totals: { ...totals, failed: Math.max(second.totals.failed, totals.failed) },
    byFile,
    msByFile: first.msByFile,
    failures: second.failures,
    isWhole: second.isWhole,
    flaky,
  };
}

function hasFailed({ byFile }: TestResult, file: string): boolean {
  return (byFile[file]?.failed ?? 0) > 0;
}
