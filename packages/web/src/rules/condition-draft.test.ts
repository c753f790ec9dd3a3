import assert from "node:assert/strict";
import { test } from "node:test";
import { type ConditionDraft, readConditions } from "./condition-draft.ts";

const read = (...drafts: readonly ConditionDraft[]) =>
  readConditions(drafts, (argument) => (argument === "branch" ? "string" : undefined));
const one = (argument: string, test: ConditionDraft["test"], value = "") => ({
  argument,
  test,
  value,
});
const when = (...drafts: readonly ConditionDraft[]) => {
  const outcome = read(...drafts);
  return outcome.type === "when" ? outcome.when : outcome;
};

test("a rule without conditions covers every call", () => {
  assert.equal(when(), undefined);
});

test("each test becomes the operator of the API", () => {
  assert.deepEqual(when(one(" path ", "path", "docs/**")), { path: { path: "docs/**" } });
  assert.deepEqual(when(one("path", "notPath", "docs/**")), { path: { not: { path: "docs/**" } } });
  assert.deepEqual(when(one("cmd", "prefix", "git ")), { cmd: { prefix: "git " } });
  assert.deepEqual(when(one("n", "given")), { n: { exists: true } });
  assert.deepEqual(when(one("n", "absent")), { n: { exists: false } });
});

test("an exact value is a string if the argument is a string, otherwise the typed JSON", () => {
  assert.deepEqual(when(one("branch", "equals", "5")), { branch: { equals: "5" } });
  assert.deepEqual(when(one("n", "equals", "5")), { n: { equals: 5 } });
  assert.deepEqual(when(one("n", "notEquals", "main")), { n: { not: { equals: "main" } } });
});

test("conditions on one argument are combined, and a repeated test is rejected", () => {
  assert.deepEqual(when(one("n", "min", "1"), one("n", "max", "5")), { n: { min: 1, max: 5 } });
  const twice = read(one("n", "min", "1"), one("n", "min", "2"));
  assert.deepEqual([twice.type, twice.type === "invalid" && twice.index], ["invalid", 1]);
});

test("a missing value is reported at its condition", () => {
  for (const [index, drafts] of [
    [0, [one("", "given")]],
    [0, [one("n", "max", "many")]],
    [0, [one("n", "min", " ")]],
    [1, [one("a", "given"), one("path", "path")]],
  ] as const) {
    const outcome = read(...drafts);
    assert.equal(outcome.type === "invalid" && outcome.index, index);
  }
});

test("an argument can have the name of a property of Object.prototype", () => {
  assert.deepEqual(when(one("constructor", "given")), { constructor: { exists: true } });
});
