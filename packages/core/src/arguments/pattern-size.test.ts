import assert from "node:assert/strict";
import { test } from "node:test";
import { patternSize } from "./pattern-size.ts";

test("the size of a pattern counts the copies of repeated parts", () => {
  const least: readonly (readonly [string, number])[] = [
    ["abc", 3],
    ["x{1000}", 1_000],
    ["(?:ab){500}", 1_000],
    ["(?:a{10}){10,}", 100],
    ["[)]x{100}", 100],
    [")x{100}", 100],
    ["\\Q(\\Ex{100}", 100],
    ["\\)x{100}", 100],
    ["a|x{100}", 100],
    ["[\\]x{9}]y{100}", 100],
  ];
  for (const [pattern, size] of least) {
    const given = patternSize(pattern);
    assert.ok(given >= size && given < 4 * size + 10, `${pattern}: ${given}`);
  }
  assert.equal(patternSize("\\x{1000}\\p{L}"), 2);
  assert.equal(patternSize("(".repeat(300)), Infinity);
});
