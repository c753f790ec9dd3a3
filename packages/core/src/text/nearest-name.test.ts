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

test("at most max names are returned, in the order of their edit distance", () => {
  assert.deepEqual(
    nearestNames("abcdefgh", ["abcdefgh", "bacdefgh", "abcdefg", "abdcefhg", "xxxxefgh"], 4),
    ["abcdefgh", "abcdefg", "bacdefgh", "abdcefhg"],
  );
});

test("the time grows with the number of candidates, and not with the length of a name", () => {
  const candidates = (count: number, more = "") =>
    Array.from({ length: count }, (_, i) => `FetchWebPage_${i}_result${more}`);
  /** Processor time of this thread, in microseconds. */
  const cost = (name: string, names: readonly string[]): number => {
    const { user, system } = process.threadCpuUsage();
    assert.equal(nearestNames(name, names).length, 3);
    const { user: userAfter, system: systemAfter } = process.threadCpuUsage();
    return userAfter + systemAfter - user - system;
  };
  const cases: readonly [string, readonly string[]][] = [
    ["FetchWebPag_123_resul", candidates(500)],
    ["FetchWebPag_123_resul", candidates(5_000)],
    [`FetchWebPag_123_resul${"t".repeat(400)}`, candidates(500, "t".repeat(400))],
  ];
  const sums = cases.map(() => 0);
  // Alternate the cases, and repeat them, because some systems count processor time in
  // milliseconds.
  for (let turn = 0; turn < 6; turn++)
    for (const [index, [name, names]] of cases.entries())
      sums[index] = (sums[index] ?? 0) + cost(name, names);
  const [few = 0, many = 0, long = 0] = sums;
  assert.ok(many < few * 40, `500 names took ${few} µs, 5,000 took ${many} µs`);
  // The compared beginnings are four times as long, and the work grows with the square of their
  // length.
  assert.ok(long < few * 100, `short names took ${few} µs, long names took ${long} µs`);
});
