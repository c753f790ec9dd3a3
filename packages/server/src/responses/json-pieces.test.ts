import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { jsonPieces } from "./json-pieces.ts";

/** Texts with all that JSON escapes, some of them many pieces long. */
const anyText = fc
  .tuple(fc.string({ unit: "binary", maxLength: 9 }), fc.constantFrom(1, 9_000, 20_000))
  .map(([text, times]) => `${text}\u{1F600}`.repeat(times));

test("the pieces of a value are its JSON, whatever its texts are", () => {
  const value = fc.record({
    type: fc.string(),
    text: anyText,
    none: fc.constant(undefined),
    parts: fc.array(fc.record({ text: anyText, count: fc.integer() }), { maxLength: 2 }),
  });
  fc.assert(
    fc.property(value, (given) => {
      const pieces = [...jsonPieces(given)];
      assert.ok(pieces.join("") === JSON.stringify(given));
    }),
    { numRuns: 40 },
  );
});

test("no character is torn between two pieces, and none is written that is long", () => {
  for (const before of ["", "x"]) {
    const pieces = [...jsonPieces({ text: before + "\u{1F600}".repeat(100_000) })];
    assert.ok(pieces.length > 5);
    for (const piece of pieces) {
      assert.ok(piece.isWellFormed() && !piece.includes("\\u"));
      assert.ok(piece.length < 40_000);
    }
  }
});

test("what has no long text is one piece", () => {
  const value = {
    delta: "x".repeat(32_768),
    parts: Array.from({ length: 50 }, () => "y".repeat(999)),
  };
  assert.equal([...jsonPieces(value)].length, 1);
});
