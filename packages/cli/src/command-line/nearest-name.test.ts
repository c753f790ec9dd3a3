import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { didYouMean, nearestName } from "./nearest-name.ts";

test("a slip of the keyboard finds its name", () => {
  const names = ["groups", "tools", "roots", "limits"];
  assert.equal(nearestName("groops", names), "groups");
  assert.equal(nearestName("Tools", names), "tools");
  assert.equal(nearestName("limist", names), "limits");
});

test("a name that is nothing like the others finds none", () => {
  assert.equal(nearestName("temperature", ["groups", "tools"]), undefined);
  assert.equal(didYouMean("temperature", ["groups"]), "");
});

test("a name finds itself among others", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1 }),
      fc.nat(),
      (names, pick) => {
        const name = names[pick % names.length]!;
        assert.equal(nearestName(name, names), name);
      },
    ),
  );
});
