import assert from "node:assert/strict";
import { test } from "node:test";
import { columns } from "./column.ts";
import { converse } from "./converse.ts";
import { longPages } from "./long-pages.ts";
import { sum } from "./price.ts";
import { roundTripEdit } from "./round-trip-edit.ts";
import { shortResults } from "./short-results.ts";
import type { Workload } from "./workload.ts";

type Counted = "tokens" | "priced";

/** Returns the cost of a workload in a column, and its native cost. */
async function share(
  workload: Workload,
  name: string,
  { counted = "tokens", fromTurn = 0 }: { counted?: Counted; fromTurn?: number } = {},
): Promise<number> {
  const cost = async (wanted: string) => {
    const column = columns.find((candidate) => candidate.name === wanted);
    assert.ok(column);
    return sum((await converse(workload, column)).slice(fromTurn))[counted];
  };
  return (await cost(name)) / (await cost("native"));
}

test("after long pages, later turns cost at most 15 % of native", async () => {
  assert.ok((await share(longPages, "log", { fromTurn: 1 })) <= 0.15);
});

test("a round-trip edit by reference costs a seventh of native, or less", async () => {
  assert.ok((await share(roundTripEdit, "log and references")) <= 1 / 7);
});

test("with short results, variables and logs cost at most 5 % more than native, also when priced with a cache", async () => {
  for (const counted of ["tokens", "priced"] as const)
    for (const fromTurn of [0, 1]) {
      const cost = await share(shortResults, "log", { counted, fromTurn });
      assert.ok(cost <= 1.05, `${counted} from turn ${fromTurn + 1} on: ${cost}`);
    }
});
