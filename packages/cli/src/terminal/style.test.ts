import assert from "node:assert/strict";
import { test } from "node:test";
import { formatCount, formatDuration } from "./style.ts";

test("durations have a unit that depends on their length", () => {
  assert.equal(formatDuration(0.4), "0 ms");
  assert.equal(formatDuration(999), "999 ms");
  assert.equal(formatDuration(999.6), "1.0 s");
  assert.equal(formatDuration(59_960), "1 min 0 s");
  assert.equal(formatDuration(125_000), "2 min 5 s");
});

test("counts have thousands separators and a plural", () => {
  assert.equal(formatCount(1, "token"), "1 token");
  assert.equal(formatCount(1234, "token"), "1,234 tokens");
});
