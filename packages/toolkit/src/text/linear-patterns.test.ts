import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { linearPatterns } from "./linear-patterns.ts";

const patterns = [
  "^(a+)+$",
  "^(\\w+\\s?)*$",
  "^(?:a|aa)*b?$",
  "a.c",
  "^\\S+$",
  "[\\s,]+",
  "^[^\\s]+$",
  "\\u0061b",
  "^(?<year>\\d{4})-\\d\\d$",
  "^[a-z]{2,}\\.$",
  "\\/",
  "^[.]$",
  "\\ba\\b",
];

test("patterns have the same meaning as in JavaScript", () => {
  const letters = fc.constantFrom(
    ..."ab. ,/-1é".split(""),
    "\n",
    "\r",
    "\v",
    "\u00a0",
    "\u2028",
    "😀",
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...patterns),
      fc.string({ unit: letters, maxLength: 8 }),
      (source, text) => {
        assert.equal(linearPatterns(source)?.(text), new RegExp(source, "u").test(text), source);
      },
    ),
    { numRuns: 1_000 },
  );
});

test("patterns that block a backtracking engine run in linear time", () => {
  const start = performance.now();
  assert.equal(linearPatterns("^(a+)+$")?.(`${"a".repeat(1_000_000)}!`), false);
  assert.equal(linearPatterns("^(\\w+\\s?)*$")?.(`${"ab ".repeat(100_000)}!`), false);
  assert.ok(performance.now() - start < 10_000);
});

test("patterns that a linear engine does not support are rejected", () => {
  for (const source of ["^(?=a)", "(a)\\1", "(?<!a)b", "[\\S]", "(", "a".repeat(3_000)])
    assert.equal(linearPatterns(source), undefined, source.slice(0, 20));
});
