import assert from "node:assert/strict";
import { test } from "node:test";
import { backoffDelay } from "./follow.ts";

test("the delays between attempts grow to 1.5 s and are randomised", () => {
  const longest = [0, 1, 2, 3, 50].map((attempt) => backoffDelay(attempt, undefined, () => 0));
  assert.deepEqual(longest, [500, 1_000, 1_500, 1_500, 1_500]);
  assert.equal(
    backoffDelay(9, undefined, () => 1),
    750,
  );
});
