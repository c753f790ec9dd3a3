import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { copyJson } from "./json-value.ts";

test("a copy is equal and shares nothing", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (given) => {
      const data: unknown = { given, list: [given] };
      assert.deepEqual(copyJson(data), data);
      assert.notEqual(copyJson(data), data);
    }),
  );
});

test("a key named __proto__ remains a key, and its value is copied", () => {
  const data = JSON.parse('{"__proto__":[1,{"a":null}]}') as Record<string, unknown>;
  const copy = copyJson(data);
  assert.deepEqual(copy, data);
  assert.equal(Object.getPrototypeOf(copy), Object.prototype);
  assert.notEqual(Object.values(copy)[0], Object.values(data)[0]);
});
