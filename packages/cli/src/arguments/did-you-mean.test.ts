import assert from "node:assert/strict";
import { test } from "node:test";
import { didYouMean } from "./parse-options.ts";

test("suggests the name that was probably meant", () => {
  const names = ["groups", "tools", "roots", "limits"];
  assert.equal(didYouMean("groops", names), " Did you mean groups?");
  assert.equal(didYouMean("Tools", names), " Did you mean tools?");
  assert.equal(didYouMean("limist", names), " Did you mean limits?");
});

test("suggests nothing if no name is similar", () => {
  assert.equal(didYouMean("temperature", ["groups", "tools"]), "");
});
