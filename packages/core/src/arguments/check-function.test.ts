import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import type { JsonSchema } from "../base/json.ts";
import { checkFunction } from "./check-function.ts";
import { loadSchemaChecks } from "./schema-checks.ts";

await loadSchemaChecks();

const schema = {
  properties: { a: { type: "number" } },
  anyOf: [{ required: ["a"] }, { properties: { b: true }, required: ["b"] }],
  unevaluatedProperties: false,
};
const { Function: original } = globalThis;

afterEach(() => {
  globalThis.Function = original;
  Reflect.deleteProperty(globalThis, "location");
});

/** Counts attempts to generate code from text. All fail, as under a content security policy. */
function forbidCode(): () => number {
  let attempts = 0;
  const forbidden = function (): never {
    attempts += 1;
    throw new EvalError("forbidden");
  };
  globalThis.Function = Object.assign(forbidden, { prototype: original.prototype }) as never;
  return () => attempts;
}

function assertChecks(isValid: (value: unknown) => boolean): void {
  assert.equal(isValid({ a: 1, b: 2 }), true);
  assert.equal(isValid({ a: 1 }), true);
  assert.equal(isValid({ a: "1" }), false);
  // A property that was evaluated in an earlier value is not evaluated in this one.
  assert.equal(isValid({ a: 1, c: 2 }), false);
  assert.equal(isValid({ b: 1, c: 2 }), false);
}

test("a schema is compiled if code can be generated from text", () => {
  assertChecks(checkFunction(schema));
});

test("a schema is interpreted with the same results if code cannot be generated", () => {
  forbidCode();
  assertChecks(checkFunction(schema));
});

// V8 takes seconds to compile functions that are nested 200 times.
test("a deeply nested schema is interpreted, and enforced at its deepest level", () => {
  const attempts = forbidCode();
  let deep: JsonSchema = { type: "string" };
  let [fits, fails]: unknown[] = ["text", 5];
  for (let level = 0; level < 100; level++) {
    deep = { additionalProperties: deep };
    [fits, fails] = [{ a: fits }, { a: fails }];
  }
  const isValid = checkFunction(deep);
  assert.equal(isValid(fits), true);
  assert.equal(isValid(fails), false);
  assert.equal(attempts(), 0);
});

test("a page never tries to generate code from text", () => {
  const attempts = forbidCode();
  Object.assign(globalThis, { location: new URL("https://example.org/") });
  assertChecks(checkFunction(schema));
  assert.equal(attempts(), 0);
});
