import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { countTokens, loadTokenizer, splitLongRuns } from "./count-tokens.ts";

test("counts known texts as o200k does", () => {
  assert.equal(countTokens(""), 0);
  assert.equal(countTokens("hello world"), 2);
  assert.equal(countTokens('{"path":"."}'), 5);
});

test("the loader returns the same counter", async () => {
  const count = await loadTokenizer();
  assert.equal(count("hello world"), 2);
});

test("counts special tokens in a text as plain text", () => {
  assert.equal(countTokens("<|endoftext|>"), 7);
});

test("estimates a long text within two percent", () => {
  const line = 'The capstan holds, even when "they" let go: {"turns": 12}\n';
  const exact = countTokens(line.repeat(300));
  const estimate = countTokens(line.repeat(3_000));
  assert.ok(Math.abs(estimate - exact * 10) / (exact * 10) < 0.02, `${estimate} of ${exact * 10}`);
});

test("no text blocks the event loop", () => {
  const texts = ["a", " ", "漢", "😀", "=", "\n", "word "].map((part) =>
    part.repeat(10_000_000 / part.length),
  );
  countTokens("warm");
  for (const text of texts) {
    const start = performance.now();
    countTokens(text);
    const took = performance.now() - start;
    assert.ok(took < 5_000, `${JSON.stringify(text[0])}: ${took} ms`);
  }
});

test("splits only long runs, and loses no characters", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(fc.constantFrom("a", "漢", "😀", " ", "-", "7"), fc.integer({ min: 1, max: 300 })),
      ),
      (runs) => {
        const text = runs.map(([part, count]) => part.repeat(count)).join("");
        assert.equal(splitLongRuns(text).join(""), text);
      },
    ),
    { numRuns: 50 },
  );
  assert.equal(splitLongRuns("a few words ".repeat(100)).length, 1);
});
