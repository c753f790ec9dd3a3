import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { countTokens, loadTokenizer, splitLongRuns } from "./count-tokens.ts";

test("tokens of known texts are those of o200k", () => {
  assert.equal(countTokens(""), 0);
  assert.equal(countTokens("hello world"), 2);
  assert.equal(countTokens('{"path":"."}'), 5);
});

test("the loader gives the same counter", async () => {
  const count = await loadTokenizer();
  assert.equal(count("hello world"), 2);
});

test("marks of the encoding in a text are counted as text", () => {
  assert.equal(countTokens("<|endoftext|>"), 7);
});

test("a long text is estimated within two percent", () => {
  const line = 'The capstan holds, even when "they" let go: {"turns": 12}\n';
  const exact = countTokens(line.repeat(300));
  const estimate = countTokens(line.repeat(3_000));
  assert.ok(Math.abs(estimate - exact * 10) / (exact * 10) < 0.02, `${estimate} of ${exact * 10}`);
});

test("no text holds the event loop", () => {
  const texts = ["a", " ", "漢", "😀", "=", "\n", "word "].map((part) =>
    part.repeat(10_000_000 / part.length),
  );
  countTokens("warm");
  for (const text of texts) {
    // Processor time: what else the machine does is not measured.
    const { user: start } = process.threadCpuUsage();
    countTokens(text);
    const took = (process.threadCpuUsage().user - start) / 1000;
    assert.ok(took < 250, `${JSON.stringify(text[0])}: ${took} ms`);
  }
});

test("splitting loses nothing, and leaves text without long runs whole", () => {
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
