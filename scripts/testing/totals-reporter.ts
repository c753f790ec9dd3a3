import { relative } from "node:path";
import type { TestEvent } from "node:test/reporters";
import { root } from "../command.ts";
import { isOwnFailure } from "./test-failure.ts";
import { sumTotals, type TestTotals, type TotalsByFile } from "./test-totals.ts";

/** A reporter for `node --test` whose whole output is `TotalsByFile` as JSON. Suites do not count. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const files: Record<string, TestTotals> = {};
  for await (const event of events) {
    const totals = totalsOf(event);
    if (totals === undefined) continue;
    const file = fileOf(event);
    files[file] = sumTotals([...(files[file] === undefined ? [] : [files[file]]), totals]);
  }
  yield JSON.stringify(files satisfies TotalsByFile);
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
