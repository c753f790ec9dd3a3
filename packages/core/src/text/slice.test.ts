import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { sliceText } from "./slice.ts";

// Contract: variables-40
test("adjacent slices add up to the full text, and no surrogate pair is split", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", "é", "😀", "\ud83d", "\ude00") }),
      fc.integer({ min: 1, max: 5 }),
      (text, length) => {
        const pieces: string[] = [];
        for (let start = 0; start < text.length; start += length)
          pieces.push(sliceText(text, start, length));
        assert.equal(pieces.join(""), text);
        if (text.isWellFormed()) assert.ok(pieces.every((piece) => piece.isWellFormed()));
      },
    ),
  );
});

test("a slice beyond the end is empty", () => {
  assert.equal(sliceText("abc", 5), "");
  assert.equal(sliceText("abc", 1, 0), "");
  assert.equal(sliceText("abc", 1), "bc");
});
