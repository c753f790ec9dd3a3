import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { createUniqueNames, safeName } from "./file-names.ts";

test("removes characters that a system does not allow in a name", () => {
  assert.equal(safeName("../../etc/passwd", "chat"), "etc passwd");
  assert.equal(safeName('a:b*c?"<>|\u202egpj.exe', "chat"), "a b c gpj.exe");
  assert.equal(safeName(" ... ", "chat"), "chat");
  assert.equal(safeName("x".repeat(200), "chat").length, 80);
});

test("names are unique without regard to case, and stay in their folder", () => {
  const unique = createUniqueNames();
  assert.deepEqual(["a.csv", "A.CSV", "a.csv", "/"].map(unique), [
    "a.csv",
    "A (2).CSV",
    "a (3).csv",
    "file",
  ]);
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" })), (names) => {
      const all = names.map(createUniqueNames());
      assert.equal(new Set(all.map((name) => name.toLowerCase())).size, all.length);
      for (const name of all) assert.doesNotMatch(name, /[/\\\n]|^\.|^$/);
    }),
    { numRuns: 30 },
  );
});
