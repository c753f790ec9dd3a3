import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { redactKeys } from "./redact-keys.ts";

test("whatever the key, it is gone from the text", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 8 }).filter((key) => !"[key]".includes(key)),
      fc.string(),
      fc.string(),
      (key, before, after) => {
        const redacted = redactKeys(`${before}${key}${after}`, key);
        assert.ok(!redacted.includes(key) || redactKeys("[key]", undefined).includes(key));
      },
    ),
  );
});

test("what looks like a key is gone, other words stay", () => {
  const text =
    "Incorrect key sk-proj-ab12****wxyz, Bearer abc.def, ?key=AIzaSyA1234567890 of task-force skies";
  assert.equal(
    redactKeys(text, undefined),
    "Incorrect key [key], Bearer [key] ?key=[key] of task-force skies",
  );
});
