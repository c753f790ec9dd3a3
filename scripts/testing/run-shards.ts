import { availableParallelism } from "node:os";
import { runTests, type TestResult, type TestRun } from "./run-tests.ts";
import { type MsByFile, sumTotals } from "./test-totals.ts";

/**
 * The processes for unit tests: one more than there are processors, because tests also wait. Each
 * process loads the sources itself, so more than 4 save no time.
 */
export const unitShards = Math.min(4, availableParallelism() + 1);

/**
 * Runs test files in several processes. Each process runs its files one after another, without the
 * cost of a process for each file.
 *
 * @param shards the number of processes
 */
export async function runShards(run: TestRun, shards = unitShards): Promise<TestResult> {
  const parts = Array.from({ length: shards }, (_, shard) =>
    run.files.filter((_file, index) => index % shards === shard),
  );
  const results = await Promise.all(parts.map((files) => runTests({ ...run, files })));
  return {
    totals: sumTotals(results.map(({ totals }) => totals)),
    byFile: Object.assign({}, ...results.map(({ byFile }) => byFile)) as TestResult["byFile"],
    msByFile: Object.assign({}, ...results.map(({ msByFile }) => msByFile)) as MsByFile,
    failures: results.flatMap(({ failures }) => failures),
    isWhole: results.every(({ isWhole }) => isWhole),
  };
}
