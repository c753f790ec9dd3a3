import assert from "node:assert/strict";
import { test } from "node:test";
import { withHiddenShown } from "./hidden-characters.ts";

test("what a reader would not see, or would see in another place, is shown by its number", () => {
  const hidden = "a\rb\u202Ec\u2066d\u200Be\u0000f\u{E0041}\u3164\uFE0F";
  assert.equal(
    withHiddenShown(hidden),
    "a⟨U+000D⟩b⟨U+202E⟩c⟨U+2066⟩d⟨U+200B⟩e⟨U+0000⟩f⟨U+E0041⟩⟨U+3164⟩⟨U+FE0F⟩",
  );
  const plain = "def größe(大):\r\n\treturn '👍'\n";
  assert.equal(withHiddenShown(plain), plain);
});
