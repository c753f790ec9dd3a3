import { relative } from "node:path";
import type { TestEvent } from "node:test/reporters";
import { root } from "../command.ts";
import { failureText, isOwnFailure } from "./test-failure.ts";
import { type FailedTest, type ReportedRun, sumTotals, type TestTotals } from "./test-totals.ts";

/** A reporter for `node --test` whose whole output is a `ReportedRun` as JSON. Suites do not count. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const totals: Record<string, TestTotals> = {};
  const ms: Record<string, number> = {};
  const failures: FailedTest[] = [];
  for await (const event of events) {
    const file = fileOf(event);
    const more = totalsOf(event);
    if (more !== undefined)
      totals[file] = sumTotals([...(totals[file] === undefined ? [] : [totals[file]]), more]);
    if (event.type === "test:fail" && isOwnFailure(event.data)) {
      const { name, line } = event.data;
      failures.push({
        file,
        name,
        error: failureText(event.data),
        ...(line === undefined ? {} : { line }),
      });
    }
    if (file === "") continue;
    // A process of its own reports its whole time, after its tests.
    if (event.type === "test:summary") ms[file] = event.data.duration_ms;
    else ms[file] = (ms[file] ?? 0) + durationOf(event);
  }
  yield JSON.stringify({ totals, ms, failures } satisfies ReportedRun);
}

/** The time of a test that is inside no other one, in ms. */
function durationOf(event: TestEvent): number {
  if (event.type !== "test:pass" && event.type !== "test:fail") return 0;
  return event.data.nesting === 0 ? event.data.details.duration_ms : 0;
}

/**
 * The totals of one test; undefined for events of no test, and for a test that failed because of
 * one inside it.
 */
function totalsOf(event: TestEvent): TestTotals | undefined {
  if (event.type === "test:fail")
    return isOwnFailure(event.data) ? { passed: 0, failed: 1, skipped: {} } : undefined;
  if (event.type !== "test:pass" || event.data.details.type === "suite") return undefined;
  const reason = skipReason(event.data);
  if (reason === undefined) return { passed: 1, failed: 0, skipped: {} };
  return { passed: 0, failed: 0, skipped: { [reason]: 1 } };
}

function fileOf({ data }: TestEvent): string {
  const file = data !== undefined && "file" in data ? data.file : undefined;
  return file === undefined ? "" : relative(root, file);
}

function skipReason({
  skip,
  todo,
}: {
  skip?: string | boolean;
  todo?: string | boolean;
}): string | undefined {
  const reason = skip ?? todo;
  if (reason === undefined || reason === false) return undefined;
  return typeof reason === "string" && reason !== "" ? reason : "no reason given";
}
