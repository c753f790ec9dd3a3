import assert from "node:assert/strict";
import { test } from "node:test";
import { measuredFigure, median, mergeTurns } from "./figure.ts";

const time = { case: "round", subject: "capstan", unit: "ms" };
const rate = { case: "runs", subject: "sqlite", unit: "runs/s" };

test("the best time is the minimum, and the best rate is the maximum", () => {
  assert.deepEqual(measuredFigure(time, [3, 1, 2]), { ...time, best: 1, median: 2 });
  assert.deepEqual(measuredFigure(rate, [3, 1, 2]), { ...rate, best: 3, median: 2 });
});

test("turns are merged per label: the best of all, and the median of the medians", () => {
  const turns = [
    [measuredFigure(time, [5, 7]), measuredFigure(rate, [100])],
    [measuredFigure(time, [4, 20])],
    [measuredFigure(time, [8]), measuredFigure(rate, [300])],
  ];
  assert.deepEqual(mergeTurns(turns), [
    { ...time, best: 4, median: 8 },
    { ...rate, best: 300, median: 200 },
  ]);
});

test("the median of an even count is the mean of the middle two", () => {
  assert.equal(median([4, 1, 3, 2]), 2.5);
  assert.equal(median([3, 1, 2]), 2);
  assert.throws(() => median([]), /no values/);
});
