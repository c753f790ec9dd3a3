import { availableParallelism } from "node:os";
import { runTests, type TestResult, type TestRun } from "./run-tests.ts";
import { sumTotals } from "./test-totals.ts";

/** Each process reads the sources for itself: more of them than these gain nothing. */
const mostShards = 4;

/**
 * Runs test files in several processes, one for a processor; in each all files run one after
 * another, without the cost of a process for each.
 *
 * @param shards @default as many as there are processors, up to 4
 */
export async function runShards(
  run: TestRun,
  shards = Math.min(mostShards, availableParallelism()),
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
