import assert from "node:assert/strict";
import { test } from "node:test";
import { flatSchema } from "./flat-schema.ts";

const text = { type: "string" };

test("alternatives at the root become optional properties", () => {
  const flat = flatSchema({
    description: "Sends.",
    properties: { to: text },
    required: ["to"],
    anyOf: [
      { properties: { body: text }, required: ["body"] },
      { properties: { file: text }, required: ["file"] },
    ],
  });
  assert.deepEqual(flat, {
    description: "Sends.",
    type: "object",
    properties: { body: text, file: text, to: text },
    required: ["to"],
  });
});

test("a reference at the root is replaced by the schema, which keeps its definitions", () => {
  const $defs = {
    input: { type: "object", properties: { at: { $ref: "#/$defs/place" } } },
    place: text,
  };
  const flat = flatSchema({ $ref: "#/$defs/input", $defs });
  assert.equal(flat["type"], "object");
  assert.equal("$ref" in flat, false);
  assert.deepEqual(flat["properties"], { at: { $ref: "#/$defs/place" } });
  assert.deepEqual(flat["$defs"], $defs);
});

test("an empty schema becomes an object without properties", () => {
  assert.deepEqual(flatSchema({}), { type: "object", properties: {} });
});
