import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { runCommand } from "../command.ts";
import { withSourceCondition } from "../source-condition.ts";
import {
  type FailedTest,
  type MsByFile,
  type ReportedRun,
  sumTotals,
  type TestTotals,
  type TotalsByFile,
} from "./test-totals.ts";

export interface TestRun {
  /** Files with a process of their own start in this order. */
  readonly files: readonly string[];
  /** `none`: all in one process, which is quick; `process`: each file in its own. */
  readonly isolation: "none" | "process";
  /** Ends the run; the tests that have not ended count as one failure. */
  readonly limitMs: number;
  /** The number of files that run at once. @default 3 */
  readonly concurrency?: number;
  /** @default console.log */
  readonly print?: (text: string) => void;
}

export interface TestResult {
  readonly totals: TestTotals;
  readonly byFile: TotalsByFile;
  readonly msByFile: MsByFile;
  readonly failures: readonly FailedTest[];
  /** False if the run was stopped or crashed: tests that have not run are in no file's totals. */
  readonly isWhole: boolean;
}

/** The lines of output that are listed as the error of a run that crashed. */
const lastLines = 8;

const failuresReporter = fileURLToPath(new URL("failures-reporter.ts", import.meta.url));
const runInOrder = fileURLToPath(new URL("run-in-order.ts", import.meta.url));
const propertySeed = new URL("use-property-seed.ts", import.meta.url).href;
const totalsReporter = fileURLToPath(new URL("totals-reporter.ts", import.meta.url));

/** Runs test files and prints only failures. */
export async function runTests({
  files,
  isolation,
  limitMs,
  concurrency = 3,
  print = console.log,
}: TestRun): Promise<TestResult> {
  if (files.length === 0)
    return { totals: sumTotals([]), byFile: {}, msByFile: {}, failures: [], isWhole: true };
  const folder = await mkdtemp(join(tmpdir(), "capstan-test-"));
  const totalsFile = join(folder, "totals.json");
  const limit = AbortSignal.timeout(limitMs);
  const { code, output } = await runCommand(
    process.execPath,
    isolation === "process"
      ? [runInOrder, String(concurrency), totalsFile, ...files]
      : [
          `--import=${propertySeed}`,
          "--test",
          "--test-isolation=none",
          // Stops a hanging test. The limit is long enough for a slow machine.
          "--test-timeout=180000",
          `--test-reporter=${failuresReporter}`,
          "--test-reporter-destination=stdout",
          `--test-reporter=${totalsReporter}`,
          `--test-reporter-destination=${totalsFile}`,
          ...files,
        ],
    { env: environment(), signal: limit },
  );
  const { totals: byFile, ms: msByFile, failures } = await readReport(totalsFile);
  const totals = sumTotals(Object.values(byFile));
  await rm(folder, { recursive: true, force: true });
  if (code === 0) return { totals, byFile, msByFile, failures, isWhole: true };
  print(output.trimEnd());
  const late = `The tests did not end within ${limitMs / 1000} s: one hangs, or left something open.`;
  if (limit.aborted) print(`\n✖ ${late}`);
  const failureOfRun = {
    file: files.length === 1 ? (files[0] ?? "") : "",
    name: limit.aborted ? "the run was stopped" : "the run failed, and no test did",
    error: limit.aborted ? late : output.trimEnd().split("\n").slice(-lastLines).join("\n"),
  };
  return {
    totals: { ...totals, failed: Math.max(1, totals.failed) },
    byFile,
    msByFile,
    failures: limit.aborted || failures.length === 0 ? [...failures, failureOfRun] : failures,
    isWhole: !limit.aborted && totals.failed > 0,
  };
}

/** Compiling TypeScript takes half of a run, so its result is cached for the next one. */
const compileCache = fileURLToPath(new URL("../../node_modules/.cache/compile", import.meta.url));

function environment(): NodeJS.ProcessEnv {
  return {
    NODE_COMPILE_CACHE: compileCache,
    ...withSourceCondition(),
    // Inside a test run, node would treat this run as a part of it.
    NODE_TEST_CONTEXT: undefined,
  };
}

/** Empty if the process died before it could count. */
async function readReport(file: string): Promise<ReportedRun> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text === "" ? { totals: {}, ms: {}, failures: [] } : (JSON.parse(text) as ReportedRun);
}
