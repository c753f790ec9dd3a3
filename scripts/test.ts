// npm test [-- --unit] [-- NAME…]: the unit tests, then those that need processes and a browser.
// NAME is a part of a test file's path.
import { globSync } from "node:fs";
import { parseArgs } from "node:util";
import { root } from "./command.ts";
import { ensureBrowser } from "./testing/install-chromium.ts";
import { runTests } from "./testing/run-tests.ts";
import type { TestTotals } from "./testing/totals-reporter.ts";

const { values, positionals: names } = parseArgs({
  options: { unit: { type: "boolean", default: false } },
  allowPositionals: true,
});

const unitFiles = testFiles("{packages/*/{src,test},scripts,bench}/**/*.test.ts");
const integrationFiles = values.unit
  ? []
  : testFiles("{test/**/*.test.ts,packages/*/test/**/*.browser.ts}");
if (unitFiles.length + integrationFiles.length === 0) {
  console.error(`No test file has ${names.join(" or ")} in its path.`);
  process.exit(2);
}

const totals = [await phase("unit", unitFiles, "none", 900_000)];
if (integrationFiles.length > 0) {
  await ensureBrowser();
  totals.push(await phase("integration", integrationFiles, "process", 1_800_000));
}
summarise(totals);

function testFiles(pattern: string): string[] {
  return globSync(pattern, { cwd: root, exclude: ["**/node_modules/**", "**/dist/**"] })
    .filter((file) => names.length === 0 || names.some((name) => file.includes(name)))
    .toSorted();
}

async function phase(
  title: string,
  files: readonly string[],
  isolation: "none" | "process",
  limitMs: number,
): Promise<TestTotals> {
  const started = performance.now();
  const result = await runTests({ files, isolation, limitMs });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${title}: ${result.passed} passed, ${result.failed} failed, ${seconds} s`);
  return result;
}

function summarise(parts: readonly TestTotals[]): void {
  const skipped = new Map<string, number>();
  for (const [reason, count] of parts.flatMap((part) => Object.entries(part.skipped))) {
    skipped.set(reason, (skipped.get(reason) ?? 0) + count);
  }
  for (const [reason, count] of skipped) console.log(`skipped ${count}: ${reason}`);
  const passed = sum(parts.map((part) => part.passed));
  const failed = sum(parts.map((part) => part.failed));
  console.log(`${passed} passed, ${failed} failed, ${sum([...skipped.values()])} skipped`);
  process.exitCode = failed === 0 ? 0 : 1;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
