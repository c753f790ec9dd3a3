// npm test [-- --unit] [-- NAME…]: the unit tests, then those that need processes and a browser.
// NAME is a part of a test file's path. Where none is given, an integration file that fails is run
// again, alone; if it passes then, the summary says that it is flaky.
import { globSync } from "node:fs";
import { parseArgs } from "node:util";
import { root } from "./command.ts";
import { ensureBubblewrap } from "./testing/install-bubblewrap.ts";
import { ensureDatabases } from "./testing/install-databases.ts";
import { ensureBrowser } from "./testing/install-chromium.ts";
import { ensureStores } from "./testing/install-stores.ts";
import { readPropertySeed } from "./testing/property-seed.ts";
import { type RepeatedResult, runTestsAgain } from "./testing/run-again.ts";
import { runShards } from "./testing/run-shards.ts";
import { runTests, type TestRun } from "./testing/run-tests.ts";
import { sumTotals, type TestTotals } from "./testing/test-totals.ts";

const { values, positionals: names } = parseArgs({
  options: { unit: { type: "boolean", default: false } },
  allowPositionals: true,
});

const seed = readPropertySeed(process.env["PROPERTY_SEED"]);
if (seed.status === "invalid") {
  console.error(seed.message);
  process.exit(2);
}
// For all processes of the tests.
process.env["PROPERTY_SEED"] = String(seed.seed);
if (seed.isNew)
  console.log(`Properties try new values. PROPERTY_SEED=${seed.seed} repeats this run.`);

const unitFiles = testFiles("{packages/*/{src,test},scripts,bench}/**/*.test.ts");
const integrationFiles = values.unit
  ? []
  : testFiles("{test/**/*.test.ts,packages/*/test/**/*.browser.ts}");
if (unitFiles.length + integrationFiles.length === 0) {
  console.error(`No test file has ${names.join(" or ")} in its path.`);
  process.exit(2);
}

await ensureBubblewrap();
await ensureDatabases();
await ensureStores();
const totals = [
  (await phase("unit", { files: unitFiles, isolation: "none", limitMs: 900_000 }, runShards))
    .totals,
];
let flaky: readonly string[] = [];
if (integrationFiles.length > 0) {
  await ensureBrowser();
  const run = { files: integrationFiles, isolation: "process", limitMs: 1_800_000 } as const;
  const result = await phase("integration", run, names.length === 0 ? runTestsAgain : runOnce);
  totals.push(result.totals);
  flaky = result.flaky;
}
summarise(sumTotals(totals), flaky);

function testFiles(pattern: string): string[] {
  return globSync(pattern, { cwd: root, exclude: ["**/node_modules/**", "**/dist/**"] })
    .filter((file) => names.length === 0 || names.some((name) => file.includes(name)))
    .toSorted();
}

async function runOnce(run: TestRun): Promise<RepeatedResult> {
  return { ...(await runTests(run)), flaky: [] };
}

async function phase<Result extends { readonly totals: TestTotals }>(
  title: string,
  run: TestRun,
  start: (run: TestRun) => Promise<Result>,
): Promise<Result> {
  const started = performance.now();
  const result = await start(run);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const { passed, failed } = result.totals;
  console.log(`${title}: ${passed} passed, ${failed} failed, ${seconds} s`);
  return result;
}

function summarise({ passed, failed, skipped }: TestTotals, flaky: readonly string[]): void {
  for (const [reason, count] of Object.entries(skipped)) console.log(`skipped ${count}: ${reason}`);
  for (const file of flaky)
    console.log(`flaky: ${file} failed, and passed when it was run again; its failure is above`);
  const skips = Object.values(skipped).reduce((total, count) => total + count, 0);
  const parts = [`${passed} passed`, `${failed} failed`, `${skips} skipped`];
  if (flaky.length > 0) parts.push(`${flaky.length} flaky`);
  console.log(parts.join(", "));
  process.exitCode = failed === 0 ? 0 : 1;
}
