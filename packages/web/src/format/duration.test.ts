import assert from "node:assert/strict";
import { test } from "node:test";
import { formatAge, formatDuration, formatElapsed } from "./duration.ts";

test("durations use units that suit their length", () => {
  assert.deepEqual([0, 40, 999, 1234, 59_960, 75_000, 3_700_000].map(formatDuration), [
    "0 ms",
    "40 ms",
    "999 ms",
    "1.2 s",
    "1 min 0 s",
    "1 min 15 s",
    "1 h 1 min",
  ]);
  assert.equal(formatElapsed(-5), "0.0 s");
  assert.equal(formatAge(0, 59_000), "now");
  assert.equal(formatAge(0, 7_200_000), "2 h");
});
