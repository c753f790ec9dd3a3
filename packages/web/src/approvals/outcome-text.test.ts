import assert from "node:assert/strict";
import { test } from "node:test";
import { outcomeText } from "./outcome-text.ts";

test("a reported outcome includes the user's note", () => {
  assert.equal(outcomeText({ answer: "did_not_happen" }), "Your answer: it did not happen.");
  assert.equal(
    outcomeText({ answer: "run_again", note: "it was lost" }),
    "Your answer: run it again (it was lost).",
  );
});
