import assert from "node:assert/strict";
import { test } from "node:test";
import { formatBytes, plural } from "./count.ts";
import { formatAge, formatDuration, formatElapsed } from "./duration.ts";
import { argumentsLine, parseJsonObject, prettyJson } from "./json-text.ts";

test("durations read naturally at every size", () => {
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

test("counts and bytes", () => {
  assert.equal(plural(1, "call"), "1 call");
  assert.equal(plural(12_345, "token"), "12,345 tokens");
  assert.equal(formatBytes(2048), "2.0 KB");
});

test("arguments fit on a line", () => {
  assert.equal(argumentsLine({ path: ".", limit: 3 }), 'path: "." · limit: 3');
  assert.ok(argumentsLine({ text: "x".repeat(500) }).endsWith("…"));
});

test("JSON that a person typed is an object or says what is wrong", () => {
  assert.deepEqual(parseJsonObject('{"a":1}'), { type: "object", value: { a: 1 } });
  assert.equal(parseJsonObject("[1]").type, "invalid");
  assert.match((parseJsonObject("{") as { message: string }).message, /not JSON/);
  assert.equal(prettyJson('{"a":1}'), '{\n  "a": 1\n}');
  assert.equal(prettyJson("no"), "no");
});
