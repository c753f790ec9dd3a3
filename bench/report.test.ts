import assert from "node:assert/strict";
import { test } from "node:test";
import { median, type Figure } from "./figure.ts";
import { alignedTable, markdownTable, tableOf } from "./report.ts";

const figures: readonly Figure[] = [
  { case: "round", subject: "capstan", value: 0.0123456, unit: "ms" },
  { case: "round", subject: "ai", value: 1234.56, unit: "ms" },
  { case: "call", subject: "ai", value: 7, unit: "µs" },
];

test("the table has a row a case, a column a subject, and a dash where nobody measured", () => {
  assert.deepEqual(tableOf(figures), [
    ["", "capstan", "ai"],
    ["round, ms", "0.0123", "1235"],
    ["call, µs", "–", "7.00"],
  ]);
});

test("a terminal gets the columns aligned", () => {
  assert.equal(
    alignedTable(tableOf(figures)),
    ["           capstan    ai", "round, ms   0.0123  1235", "call, µs         –  7.00"].join("\n"),
  );
});

test("Markdown gets numbers to the right", () => {
  assert.equal(
    markdownTable([
      ["", "ai"],
      ["round", "1"],
    ]),
    ["|  | ai |", "| --- | ---: |", "| round | 1 |"].join("\n"),
  );
});

test("the median of an even count is the mean of the middle two", () => {
  assert.equal(median([4, 1, 3, 2]), 2.5);
  assert.equal(median([3, 1, 2]), 2);
  assert.throws(() => median([]), /no values/);
});
