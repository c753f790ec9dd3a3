import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestNames } from "./nearest-name.ts";

const tools = [
  "ListFiles",
  "ViewFile",
  "FindFiles",
  "SearchFiles",
  "FetchWebPage",
  "ReadVar",
  "ListVars",
];

test("case, separators, typos and parts of a name are recognised, the likeliest first", () => {
  assert.deepEqual(nearestNames("list_files", tools, 1), ["ListFiles"]);
  assert.deepEqual(nearestNames("LsitFiles", tools, 1), ["ListFiles"]);
  assert.deepEqual(nearestNames("ViewFiles", tools, 1), ["ViewFile"]);
  assert.deepEqual(nearestNames("fetch", tools), ["FetchWebPage"]);
  assert.deepEqual(nearestNames("ReadVariable", tools, 1), ["ReadVar"]);
});

test("a name without similar candidates has no nearest names", () => {
  assert.deepEqual(nearestNames("Translate", tools), []);
  assert.deepEqual(nearestNames("", tools), []);
  assert.deepEqual(nearestNames("x", ["ab", "cde"]), []);
});

test("at most max names are returned, by insertions, deletions, replacements and swaps", () => {
  assert.deepEqual(
    nearestNames("abcdefgh", ["abcdefgh", "bacdefgh", "abcdefg", "abdcefhg", "xxxxefgh"], 4),
    ["abcdefgh", "abcdefg", "bacdefgh", "abdcefhg"],
  );
});

test("10,000 candidates take little time", () => {
  const names = Array.from({ length: 10_000 }, (_, i) => `FetchWebPage_${i}_result`);
  // The best of several rounds, so that other processes do not affect the result.
  const rounds = Array.from({ length: 4 }, () => {
    const start = performance.now();
    assert.equal(nearestNames("FetchWebPag_1234_resul", names).length, 3);
    return performance.now() - start;
  });
  assert.ok(Math.min(...rounds) < 1000);
});
