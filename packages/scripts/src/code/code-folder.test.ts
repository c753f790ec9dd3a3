import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { fileName } from "./code-folder.ts";

test("a plain name is the file's name; other characters are percent-encoded", () => {
  assert.equal(fileName("Fetch_1"), "Fetch_1");
  assert.equal(fileName("größe-2"), "größe-2");
  assert.equal(fileName("Rule/web/a.b"), "Rule%2Fweb%2Fa%2Eb");
  assert.notEqual(fileName("a.b"), fileName("a/b"));
});

// Contract: sandbox-65
test("no two names share a file, not even a data file, and every file can be created", () => {
  const name = fc.oneof(
    fc.string({ minLength: 1, maxLength: 200, unit: "binary" }),
    fc.string({ minLength: 150, maxLength: 200, unit: fc.constantFrom("é", "/", "x") }),
    fc.stringMatching(/^[ab.%/_~]{1,4}$/),
  );
  fc.assert(
    fc.property(name, name, (a, b) => {
      const [one, other] = [fileName(a), fileName(b)];
      assert.equal(one === other, a.toWellFormed() === b.toWellFormed());
      assert.notEqual(one, `${other}.json`);
      assert.doesNotMatch(one, /^$|[./\0]/);
      assert.ok(Buffer.byteLength(`${one}.json`) <= 255);
    }),
  );
});
