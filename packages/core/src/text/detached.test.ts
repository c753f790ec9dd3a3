import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "node:test";
import { detached } from "./truncate.ts";

test("a detached text is the same text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(), (text, cut) => {
      assert.equal(detached(text), text);
      // A lone surrogate is kept too.
      assert.equal(
        detached(text.slice(cut % (text.length + 1))),
        text.slice(cut % (text.length + 1)),
      );
    }),
  );
});
