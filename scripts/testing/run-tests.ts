import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand } from "../command.ts";
import { withSourceCondition } from "../source-condition.ts";
import type { TestTotals } from "./totals-reporter.ts";

export interface TestRun {
  readonly files: readonly string[];
  /** `none`: all in one process, which is quick; `process`: each file in its own. */
  readonly isolation: "none" | "process";
  /** Ends the run, with what has not ended counted as one failure. */
  readonly limitMs: number;
  /** @default console.log */
  readonly print?: (text: string) => void;
}

const failuresReporter = fileURLToPath(new URL("failures-reporter.ts", import.meta.url));
const totalsReporter = fileURLToPath(new URL("totals-reporter.ts", import.meta.url));

/** Runs test files and prints what fails. Success is quiet. */
export async function runTests({
  files,
  isolation,
  limitMs,
  print = console.log,
}: TestRun): Promise<TestTotals> {
  if (files.length === 0) return { passed: 0, failed: 0, skipped: {} };
  const folder = await mkdtemp(join(tmpdir(), "capstan-test-"));
  const totalsFile = join(folder, "totals.json");
  const limit = AbortSignal.timeout(limitMs);
  const { code, output } = await runCommand(
    process.execPath,
    [
      ...propertySeed(),
      "--test",
      `--test-isolation=${isolation}`,
      "--test-concurrency=3",
      // Ends what hangs: a slow machine is to be done in time with a test and what comes before it.
      "--test-timeout=180000",
      `--test-reporter=${failuresReporter}`,
      "--test-reporter-destination=stdout",
      `--test-reporter=${totalsReporter}`,
      `--test-reporter-destination=${totalsFile}`,
      ...files,
    ],
    { env: environment(), signal: limit },
  );
  const totals = await readTotals(totalsFile);
  await rm(folder, { recursive: true, force: true });
  if (code === 0) return totals;
  print(output.trimEnd());
  if (limit.aborted) {
    print(
      `\n✖ The tests did not end within ${limitMs / 1000} s: one hangs, or left something open.`,
    );
  }
  return { ...totals, failed: Math.max(1, totals.failed) };
}

/** `PROPERTY_SEED` makes each property try the same values again: what fails then, a change broke. */
function propertySeed(): readonly string[] {
  if (process.env["PROPERTY_SEED"] === undefined) return [];
  return [`--import=${new URL("property-seed.ts", import.meta.url).href}`];
}

/** Half of a run is reading TypeScript, so what came of it is kept for the next one. */
const compileCache = fileURLToPath(new URL("../../node_modules/.cache/compile", import.meta.url));

function environment(): NodeJS.ProcessEnv {
  return {
    NODE_COMPILE_CACHE: compileCache,
    ...withSourceCondition(),
    // Inside a test run node would take this one for a part of it.
    NODE_TEST_CONTEXT: undefined,
  };
}

/** Empty where the process died before it could count. */
async function readTotals(file: string): Promise<TestTotals> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text === "" ? { passed: 0, failed: 0, skipped: {} } : (JSON.parse(text) as TestTotals);
}
