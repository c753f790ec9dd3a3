import { availableParallelism } from "node:os";
import { runTests, type TestResult, type TestRun } from "./run-tests.ts";
import { sumTotals } from "./test-totals.ts";

/** Each process loads the sources itself, so more processes save no time. */
const maxShards = 4;

/**
 * Runs test files in several processes. Each process runs its files one after another, without the
 * cost of a process for each file.
 *
 * @param shards @default one more than there are processors, because tests also wait; at most 4
 */
export async function runShards(
  run: TestRun,
  shards = Math.min(maxShards, availableParallelism() + 1),
): Promise<TestResult> {
  const parts = Array.from({ length: shards }, (_, shard) =>
    run.files.filter((_file, index) => index % shards === shard),
  );
  const results = await Promise.all(parts.map((files) => runTests({ ...run, files })));
  return {
    totals: sumTotals(results.map(({ totals }) => totals)),
    byFile: Object.assign({}, ...results.map(({ byFile }) => byFile)) as TestResult["byFile"],
    isWhole: results.every(({ isWhole }) => isWhole),
  };
}
