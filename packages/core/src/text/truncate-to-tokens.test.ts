import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "node:test";
import { truncateToTokens } from "./truncate.ts";

/**
 * Splits a text into words and single signs, like a tokenizer. Records the number of its calls and
 * of their characters.
 */
function tokenizer() {
  const asked = { times: 0, chars: 0 };
  const countTokens = (text: string) => {
    asked.times++;
    asked.chars += text.length;
    return text.match(/\s?\p{L}{1,5}|\d{1,3}|\s+|[^\p{L}\d\s]/gu)?.length ?? 0;
  };
  return { asked, countTokens };
}

function cut(whole: string, tokens: number, maxChars = 256_000) {
  const { asked, countTokens } = tokenizer();
  const result = truncateToTokens(whole, { tokens, countTokens, maxChars });
  return { ...result, asked: { ...asked }, used: countTokens(result.text) };
}

// Contract: executor-14, executor-178
test("for any kind of text, the shown text has at most the limit of tokens, and nearly as many", () => {
  const texts = {
    words: "some ordinary words in a sentence. ".repeat(2_000),
    signs: "{}[]:,".repeat(5_000),
    chinese: "在任何文本中".repeat(5_000),
    mixed: `${"x".repeat(20_000)}${"{}".repeat(20_000)}`,
    spaces: " ".repeat(30_000) + "word ".repeat(8_000),
  };
  for (const [name, whole] of Object.entries(texts)) {
    const { used, omitted, asked, text } = cut(whole, 1_000);
    assert.ok(omitted > 0, name);
    assert.ok(used <= 1_000, `${name}: ${used}`);
    assert.ok(used > 600, `${name}: ${used}`);
    assert.ok(asked.times <= 6, `${name}: asked ${asked.times} times`);
    assert.ok(asked.chars <= 8 * Math.max(4_000, text.length), `${name}: ${asked.chars}`);
  }
});

test("a text that fits is not truncated, with one or two calls of the tokenizer", () => {
  const short = cut("some words", 100);
  assert.equal(short.text, "some words");
  assert.equal(short.asked.times, 1);
  const dense = "wide ".repeat(900);
  assert.equal(cut(dense, 1_000).text, dense);
});

test("the ceiling in characters applies, even if the text has few tokens", () => {
  const { text } = cut(" ".repeat(50_000), 1_000, 10_000);
  assert.ok(text.length <= 10_100);
});

test("any text stays within any limit, unless the limit is less than the notice", () => {
  const text = fc
    .array(fc.string({ unit: "grapheme", maxLength: 30 }), { maxLength: 60 })
    .map((words) => words.join(" "));
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 200 }), (whole, tokens) => {
      const { used, text, rest } = cut(whole, tokens);
      assert.ok(used <= Math.max(tokens, 60));
      const end = rest.start + rest.length;
      assert.ok(text.startsWith(whole.slice(0, rest.start)) && text.endsWith(whole.slice(end)));
    }),
    { numRuns: 200 },
  );
});
