import assert from "node:assert/strict";
import { test } from "node:test";
import { columns } from "./column.ts";
import { converse } from "./converse.ts";
import { longPages } from "./long-pages.ts";
import { sum } from "./price.ts";
import { roundTripEdit } from "./round-trip-edit.ts";
import { shortResults } from "./short-results.ts";
import type { Workload } from "./workload.ts";

/** What a workload costs as a column runs it, beside what it costs natively. */
async function share(workload: Workload, name: string, fromTurn = 0): Promise<number> {
  const tokens = async (wanted: string) => {
    const column = columns.find((candidate) => candidate.name === wanted);
    assert.ok(column);
    return sum((await converse(workload, column)).slice(fromTurn)).tokens;
  };
  return (await tokens(name)) / (await tokens("native"));
}

test("after long pages, later turns cost at most 15 % of native", async () => {
  assert.ok((await share(longPages, "log", 1)) <= 0.15);
});

test("a round-trip edit by reference costs a seventh of native, or less", async () => {
  assert.ok((await share(roundTripEdit, "log and references")) <= 1 / 7);
});

test("where results are short, variables and logs cost at most a tenth more than native", async () => {
  assert.ok((await share(shortResults, "log")) <= 1.1);
});
