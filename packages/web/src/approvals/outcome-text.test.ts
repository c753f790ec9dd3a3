import assert from "node:assert/strict";
import { test } from "node:test";
import { outcomeText } from "./outcome-text.ts";

test("a reported outcome is shown with the user's note", () => {
  assert.equal(outcomeText({ answer: "did_not_happen" }), "You said: it did not happen.");
  assert.equal(
    outcomeText({ answer: "run_again", note: "it was lost" }),
    "You said: run it again (it was lost).",
  );
});
