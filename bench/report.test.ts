import assert from "node:assert/strict";
import { test } from "node:test";
import type { Figure } from "./figure.ts";
import type { Floor } from "./floors.ts";
import { alignedTable, countTable, floorTable, markdownTable, measuredTable } from "./report.ts";

const figures: readonly Figure[] = [
  { case: "round", subject: "capstan", unit: "ms", best: 0.0123456, median: 0.02 },
  { case: "call", subject: "ai", unit: "µs", best: 7, median: 8.123 },
  { case: "round", subject: "ai", unit: "ms", best: 1234.56, median: 2000 },
];

test("measured figures have one row each, with their best value and their median", () => {
  assert.deepEqual(measuredTable(figures), [
    ["work", "subject", "best", "median"],
    ["round, ms", "capstan", "0.0123", "0.0200"],
    ["round, ms", "ai", "1235", "2000"],
    ["call, µs", "ai", "7.00", "8.12"],
  ]);
});

test("a single subject needs no column", () => {
  assert.deepEqual(measuredTable(figures.slice(0, 1)), [
    ["work", "best", "median"],
    ["round, ms", "0.0123", "0.0200"],
  ]);
});

test("counts have one row per case, one column per subject, and a dash for a missing count", () => {
  assert.deepEqual(countTable(figures), [
    ["", "capstan", "ai"],
    ["round, ms", "0.0123", "1235"],
    ["call, µs", "–", "7.00"],
  ]);
});

test("a floor is met, missed or not measured, by the best value", () => {
  const floor = { bench: "loop", case: "round", subject: "capstan", unit: "ms" } as const;
  const floors: readonly Floor[] = [
    { ...floor, bound: "at most", limit: 0.013 },
    { ...floor, bound: "at least", limit: 0.013 },
    { ...floor, subject: "ai", relativeTo: "capstan", bound: "at least", limit: 10, unit: "×" },
    { ...floor, case: "step", bound: "at most", limit: 1 },
  ];
  assert.deepEqual(floorTable(floors, figures).slice(1), [
    ["round: capstan, ms", "0.0123", "at most 0.013", "met"],
    ["round: capstan, ms", "0.0123", "at least 0.013", "MISSED"],
    ["round: ai ÷ capstan, ×", "100000", "at least 10", "met"],
    ["step: capstan, ms", "–", "at most 1", "not measured"],
  ]);
});

test("a terminal gets aligned columns", () => {
  assert.equal(
    alignedTable(countTable(figures)),
    ["           capstan    ai", "round, ms   0.0123  1235", "call, µs         –  7.00"].join("\n"),
  );
});

test("Markdown aligns numbers to the right", () => {
  assert.equal(
    markdownTable([
      ["", "ai"],
      ["round", "1"],
    ]),
    ["|  | ai |", "| --- | ---: |", "| round | 1 |"].join("\n"),
  );
});
