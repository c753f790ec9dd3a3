import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "node:test";
import { graphemeBoundary } from "./text-boundary.ts";

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });
const pieces =
  "a| |\n|\r\n|\r|é|e\u0301|中|か\u3099|한|\u1112\u1161\u11ab|👩‍👩‍👧|👍🏽|🇩🇪|🇫|❤️|\u200d|\u0301|\u0600|क्ष|ก็|😀|#️⃣|Ж|ß".split(
    "|",
  );

test("a cut is at the end of the last visible character before the offset", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), fc.nat(), (parts, n) => {
      const text = parts.join("");
      const at = text.length === 0 ? 0 : n % (text.length + 1);
      const boundaries = [...graphemes.segment(text)].map(({ index }) => index);
      boundaries.push(text.length);
      const expected = boundaries.findLast((boundary) => boundary <= at) ?? 0;
      assert.equal(graphemeBoundary(text, at), expected);
    }),
    { numRuns: 500 },
  );
});

test("a cut is found far into a text without basic characters", () => {
  for (const piece of ["🇩🇪", "👩‍👩‍👧", "e\u0301", "क्ष", "ก็", "😀"]) {
    const text = piece.repeat(1_000);
    for (let at = text.length - 9; at < text.length; at++)
      assert.equal(graphemeBoundary(text, at), at - (at % piece.length), piece);
  }
});

// Contract: executor-119, executor-178
test("in any text no surrogate pair is split, and the cut is near the offset", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(200), (text, at) => {
      const boundary = graphemeBoundary(text, at);
      assert.ok(boundary <= at && boundary >= 0);
      assert.ok(!text.isWellFormed() || text.slice(0, boundary).isWellFormed());
    }),
  );
});

test("an extremely long character is cut", () => {
  const text = `a${"\u0301".repeat(100_000)}`;
  assert.equal(graphemeBoundary(text, 50_000), 50_000);
  assert.equal(graphemeBoundary(text, 20), 0);
});
