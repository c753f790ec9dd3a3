import assert from "node:assert/strict";
import { test } from "node:test";
import { countText, durationText } from "./numbers.ts";

test("times are said in the unit that fits", () => {
  assert.equal(durationText(0.4), "0 ms");
  assert.equal(durationText(999), "999 ms");
  assert.equal(durationText(999.6), "1.0 s");
  assert.equal(durationText(59_960), "1 min 0 s");
  assert.equal(durationText(125_000), "2 min 5 s");
});

test("counts have separators and the right number", () => {
  assert.equal(countText(1, "token"), "1 token");
  assert.equal(countText(1234, "token"), "1,234 tokens");
});
