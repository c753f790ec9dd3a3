import type { TestEvent } from "node:test/reporters";
import { isOwnFailure } from "./test-failure.ts";

/** What became of a set of tests. */
export interface TestTotals {
  readonly passed: number;
  readonly failed: number;
  /** Reason → how many tests gave it. */
  readonly skipped: { readonly [reason: string]: number };
}

/** A reporter for `node --test` whose whole output is `TestTotals` as JSON. Suites do not count. */
export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  let passed = 0;
  let failed = 0;
  const skipped: Record<string, number> = {};
  for await (const event of events) {
    if (event.type === "test:fail" && isOwnFailure(event.data)) failed += 1;
    if (event.type !== "test:pass" || event.data.details.type === "suite") continue;
    const reason = skipReason(event.data);
    if (reason === undefined) passed += 1;
    else skipped[reason] = (skipped[reason] ?? 0) + 1;
  }
  yield JSON.stringify({ passed, failed, skipped } satisfies TestTotals);
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
