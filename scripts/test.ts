// npm test [-- NAME…], and npm run test:unit, :long, :all and :properties (--set NAME): the unit tests,
// then those that need processes and a browser. NAME is a part of a test file's path. Without a name,
// an integration file that fails is run again, alone; if it passes then, the summary says that it is flaky.
import { parseArgs } from "node:util";
import { ensureBubblewrap } from "./testing/install-bubblewrap.ts";
import { ensureBrowser } from "./testing/install-chromium.ts";
import { ensureClients } from "./testing/install-clients.ts";
import { ensureStores } from "./testing/install-stores.ts";
import { readPropertySeed } from "./testing/property-seed.ts";
import { type RepeatedResult, runTestsAgain } from "./testing/run-again.ts";
import { runShards } from "./testing/run-shards.ts";
import { runTests, type TestRun } from "./testing/run-tests.ts";
import { testFiles, testSets } from "./testing/test-files.ts";
import { sumTotals, type TestTotals } from "./testing/test-totals.ts";

const { values, positionals: names } = parseArgs({
  options: { set: { type: "string" } },
  allowPositionals: true,
});

const seed = readPropertySeed(process.env["PROPERTY_SEED"]);
if (seed.status === "invalid") stop(seed.message);
// Applies to all processes of the tests.
process.env["PROPERTY_SEED"] = String(seed.seed);
if (seed.isNew)
  console.log(`Properties try new values. PROPERTY_SEED=${seed.seed} repeats this run.`);

// A file that is named is run even if it takes long.
const wanted = values.set ?? (names.length === 0 ? "quick" : "all");
const set = testSets.find((name) => name === wanted);
if (set === undefined) stop(`--set must be one of ${testSets.join(", ")} (got "${wanted}").`);
const files = testFiles(set);
const unitFiles = files.unit.filter(isWanted);
const integrationFiles = files.integration.filter(isWanted);
if (unitFiles.length + integrationFiles.length === 0)
  stop(`No test file has ${names.join(" or ")} in its path.`);

await ensureBubblewrap();
await ensureStores();
const totals: TestTotals[] = [];
if (unitFiles.length > 0) {
  const run = { files: unitFiles, isolation: "none", limitMs: 900_000 } as const;
  totals.push((await phase("unit", run, runShards)).totals);
}
let flaky: readonly string[] = [];
if (integrationFiles.length > 0) {
  await ensureBrowser();
  await ensureClients(integrationFiles);
  const run = { files: integrationFiles, isolation: "process", limitMs: 1_800_000 } as const;
  const result = await phase("integration", run, names.length === 0 ? runTestsAgain : runOnce);
  totals.push(result.totals);
  flaky = result.flaky;
}
summarise(sumTotals(totals), flaky);

function isWanted(file: string): boolean {
  return names.length === 0 || names.some((name) => file.includes(name));
}

function stop(message: string): never {
  console.error(message);
  process.exit(2);
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
