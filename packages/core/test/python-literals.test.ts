import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { python } from "../../../bench/repair/corruptions.ts";
import { readRelaxedJson } from "../src/arguments/relaxed-json.ts";
import type { JsonValue } from "../src/base/json.ts";

const value = fc.jsonValue().map((any) => JSON.parse(JSON.stringify(any)) as JsonValue);

test("every literal that Python writes is read with its value", () => {
  fc.assert(
    fc.property(value, (any) => {
      assert.deepEqual(readRelaxedJson(python(any))?.value, any, python(any));
    }),
  );
});

test("an object that was cut off anywhere is rejected", () => {
  const object = fc.dictionary(fc.string(), value, { minKeys: 1 });
  fc.assert(
    fc.property(object, fc.nat(), (any, at) => {
      const text = python(JSON.parse(JSON.stringify(any)) as JsonValue);
      assert.equal(readRelaxedJson(text.slice(0, at % text.length)), undefined);
    }),
  );
});
