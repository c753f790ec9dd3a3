import assert from "node:assert/strict";
import * as fc from "fast-check";
import { test } from "node:test";
import { redact } from "./review.ts";

// Contract: executor-63, executor-228
test("words are removed at every occurrence, even if they contain or overlap each other", () => {
  assert.equal(redact("tulip, tulips", ["tulip"]), "[redacted], [redacted]s");
  assert.equal(redact("abc", ["ab", "abc"]), "[redacted]");
  assert.equal(redact("abc", ["abc", "b"]), "[redacted]");
  assert.equal(redact("xabay", ["ab", "ba"]), "x[redacted]y");
  assert.equal(redact("aaaa", ["aa"]), "[redacted]");
  assert.equal(redact("a.c", ["."]), "a[redacted]c");
  assert.equal(redact("keep", ["", "nowhere"]), "keep");
});

// Contract: executor-63
test("every character of a redacted word is removed, and no other text", () => {
  const letters = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 30 });
  const words = fc.array(fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 3 }), {
    maxLength: 4,
  });
  fc.assert(
    fc.property(letters, words, (text, taken) => {
      const out = new Set<number>();
      for (const word of taken)
        for (let at = 0; word !== "" && at < text.length; at++)
          if (text.startsWith(word, at)) for (let i = 0; i < word.length; i++) out.add(at + i);
      const left = text
        .split("")
        .filter((_, index) => !out.has(index))
        .join("");
      assert.equal(redact(text, taken).replaceAll("[redacted]", ""), left);
    }),
  );
});
