import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { jsonChunks } from "./json-chunks.ts";

/** Strings with every character that JSON escapes, some of them many pieces long. */
const anyText = fc
  .tuple(fc.string({ unit: "binary", maxLength: 9 }), fc.constantFrom(1, 9_000, 20_000))
  .map(([text, times]) => `${text}\u{1F600}`.repeat(times));

test("the pieces of a value join to its JSON, whatever its strings contain", () => {
  const value = fc.record({
    type: fc.string(),
    text: anyText,
    none: fc.constant(undefined),
    parts: fc.array(fc.record({ text: anyText, count: fc.integer() }), { maxLength: 2 }),
    any: fc.array(fc.jsonValue(), { maxLength: 3 }),
    names: fc.dictionary(fc.string(), anyText, { maxKeys: 3 }),
    empty: fc.constantFrom([], {}, "", null, [undefined]),
  });
  fc.assert(
    fc.property(value, (given) => {
      const pieces = [...jsonChunks(given)];
      assert.ok(pieces.join("") === JSON.stringify(given));
    }),
    { numRuns: 40 },
  );
});

test("no character is split between two pieces, and no piece is too long", () => {
  for (const before of ["", "x"]) {
    const pieces = [...jsonChunks({ text: before + "\u{1F600}".repeat(100_000) })];
    assert.ok(pieces.length > 5);
    for (const piece of pieces) {
      assert.ok(piece.isWellFormed() && !piece.includes("\\u"));
      assert.ok(piece.length < 40_000);
    }
  }
});

test("a short value is one piece", () => {
  const value = { delta: "x".repeat(30_000), parts: Array.from({ length: 50 }, () => "y") };
  assert.equal([...jsonChunks(value)].length, 1);
});

// Contract: durability-7
test("a value with many strings is written in short pieces", () => {
  for (const value of [
    Array.from({ length: 200 }, () => ({ text: "x".repeat(30_000) })),
    Array.from({ length: 10_000 }, () => ({ text: "x".repeat(300) })),
    Array.from({ length: 100_000 }, () => [1.5, null, true]),
  ]) {
    const pieces = [...jsonChunks({ status: "completed", output: value })];
    const json = JSON.stringify({ status: "completed", output: value });
    assert.ok(pieces.join("") === json);
    assert.ok(pieces.every((piece) => piece.length < 70_000));
    assert.ok(pieces.length < json.length / 10_000, `${pieces.length} pieces`);
  }
});
