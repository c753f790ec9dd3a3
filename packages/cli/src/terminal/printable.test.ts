import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { printable, printableLine } from "./printable.ts";

test("an escape sequence is shown, not executed", () => {
  assert.equal(printable("\u001B[2Jhi\u0007\u009B1m\u007F"), "␛[2Jhi␇‹U+009B›1m␡");
  assert.equal(printable("a\r\nb\tc"), "a\nb\tc");
  assert.equal(printableLine("a\r\nb\tc\u202Ed"), "a↵b c⟨U+202E⟩d");
});

test("the result has no control characters, however the text is split", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(), (text, cut) => {
      const at = cut % (text.length + 1);
      const whole = printable(text);
      assert.equal(printable(text.slice(0, at)) + printable(text.slice(at)), whole);
      assert.doesNotMatch(whole.replaceAll(/[\n\t]/g, ""), /\p{Cc}/u);
    }),
  );
});
