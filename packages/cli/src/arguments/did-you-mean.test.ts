import assert from "node:assert/strict";
import { test } from "node:test";
import { didYouMean } from "./parse-options.ts";

test("a slip of the keyboard is asked about", () => {
  const names = ["groups", "tools", "roots", "limits"];
  assert.equal(didYouMean("groops", names), " Did you mean groups?");
  assert.equal(didYouMean("Tools", names), " Did you mean tools?");
  assert.equal(didYouMean("limist", names), " Did you mean limits?");
});

test("a name that is nothing like the others is not asked about", () => {
  assert.equal(didYouMean("temperature", ["groups", "tools"]), "");
});
