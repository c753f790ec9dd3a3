// npm test [-- NAME…], and npm run test:unit, :long, :all and :properties (--set NAME): the unit tests,
// and at the same time those that need processes and a browser. NAME is a part of a test file's path. Without a name,
// a file that fails is run again, alone; if it passes then, the summary says that it is flaky.
import { parseArgs } from "node:util";
import { bundleServers } from "../test/bundled-servers.ts";
import { ensureBubblewrap } from "./testing/install-bubblewrap.ts";
import { ensureBrowser } from "./testing/install-chromium.ts";
import { ensureClients } from "./testing/install-clients.ts";
import { ensurePowerShell } from "./testing/install-powershell.ts";
import { ensureStores } from "./testing/install-stores.ts";
import { readPropertySeed } from "./testing/property-seed.ts";
import { listFailures } from "./testing/list-failures.ts";
import { startLongestFirst } from "./testing/longest-first.ts";
import { type RepeatedResult, runTestsAgain } from "./testing/run-again.ts";
import { runShards, unitShards } from "./testing/run-shards.ts";
import { runTests, type TestResult, type TestRun } from "./testing/run-tests.ts";
import { testFiles, testSets } from "./testing/test-files.ts";
import { type MsByFile, sumTotals, type TestTotals } from "./testing/test-totals.ts";

/** Of each phase, the files that take at least so long are listed, but not more than these. */
const slowMs = 3_000;
const listedFiles = 10;

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
const integrationFiles = startLongestFirst(files.integration.filter(isWanted));
if (unitFiles.length + integrationFiles.length === 0)
  stop(`No test file has ${names.join(" or ")} in its path.`);

await ensureBubblewrap();
await ensureStores();
await ensurePowerShell([...unitFiles, ...integrationFiles]);
if (integrationFiles.length > 0) {
  await ensureBrowser();
  await ensureClients(integrationFiles);
  await bundleServers();
}
const results = await Promise.all([unitTests(), integrationTests()]);
const failures = listFailures(results.flatMap((result) => result.failures));
if (failures !== "") console.log(failures);
summarise(
  sumTotals(results.map(({ totals }) => totals)),
  results.flatMap(({ flaky }) => flaky),
);

async function unitTests(): Promise<RepeatedResult> {
  const run = { files: unitFiles, isolation: "none", limitMs: 1_800_000 } as const;
  // Integration tests that run at the same time take longer than the few long unit tests.
  const shards = set === "long" ? unitShards - 1 : unitShards;
  return phase(
    "unit",
    run,
    repeat((part) => runShards(part, shards)),
  );
}

async function integrationTests(): Promise<RepeatedResult> {
  const run = {
    files: integrationFiles,
    isolation: "process",
    limitMs: 1_800_000,
    // Runs fewer files at once, because quick unit tests run at the same time and take as long.
    concurrency: set === "quick" ? 2 : 3,
  } as const;
  return phase("integration", run, repeat(runTests));
}

function isWanted(file: string): boolean {
  return names.length === 0 || names.some((name) => file.includes(name));
}

function stop(message: string): never {
  console.error(message);
  process.exit(2);
}

/** Runs files that fail once more, except if the command names files. */
function repeat(start: (run: TestRun) => Promise<TestResult>) {
  return async (run: TestRun): Promise<RepeatedResult> =>
    names.length === 0 ? runTestsAgain(run, start) : { ...(await start(run)), flaky: [] };
}

async function phase<Result extends TestResult>(
  title: string,
  run: TestRun,
  start: (run: TestRun) => Promise<Result>,
): Promise<Result> {
  const started = performance.now();
  const result = await start(run);
  if (run.files.length === 0) return result;
  const { passed, failed } = result.totals;
  console.log(
    `${title}: ${passed} passed, ${failed} failed, ${seconds(performance.now() - started)}`,
  );
  for (const [file, ms] of slowestFiles(result.msByFile)) console.log(`  ${seconds(ms)} ${file}`);
  return result;
}

/** Of files that share a process, the first one also includes the time to load all of them. */
function slowestFiles(msByFile: MsByFile): readonly (readonly [string, number])[] {
  const slow = Object.entries(msByFile).filter(([, ms]) => ms >= slowMs);
  return slow.toSorted(([, a], [, b]) => b - a).slice(0, listedFiles);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
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
