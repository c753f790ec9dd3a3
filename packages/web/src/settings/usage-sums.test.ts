import assert from "node:assert/strict";
import { test } from "node:test";
import type { UsageView } from "@capstan/contract";
import { sumByDay, sumByModel, sumOf } from "./usage-sums.ts";

const usage = (day: string, model: string, tokens: number, cost: number | null): UsageView => ({
  object: "usage",
  day,
  model,
  runs: 1,
  input_tokens: tokens,
  cached_input_tokens: 0,
  output_tokens: 1,
  cost,
});

test("a sum has a mark if its cost excludes models without prices", () => {
  assert.deepEqual(sumOf([]), {
    runs: 0,
    input: 0,
    cached: 0,
    output: 0,
    cost: null,
    isPartial: false,
  });
  const priced = usage("2026-03-01", "a", 5, 0.5);
  const free = usage("2026-03-01", "b", 7, null);
  assert.deepEqual([sumOf([priced]).cost, sumOf([priced]).isPartial], [0.5, false]);
  assert.deepEqual([sumOf([priced, free]).cost, sumOf([priced, free]).isPartial], [0.5, true]);
  assert.deepEqual([sumOf([free]).cost, sumOf([free]).isPartial], [null, false]);
});

test("models are sorted by their tokens, and days without usage are filled", () => {
  const all = [usage("2026-03-01", "a", 5, 0), usage("2026-03-03", "b", 9, 0)];
  assert.deepEqual(
    sumByModel(all).map(({ model }) => model),
    ["b", "a"],
  );
  const days = sumByDay(all, 3, new Date(2026, 2, 3, 12).getTime());
  assert.deepEqual(
    days.map(({ day, input }) => [day, input]),
    [
      ["2026-03-01", 5],
      ["2026-03-02", 0],
      ["2026-03-03", 9],
    ],
  );
});
