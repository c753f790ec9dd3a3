import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Compile } from "typebox/schema";
import type { JsonSchema } from "../base/json.ts";
import { metaSchemaProblem } from "./meta-schema.ts";

const schema = { $ref: "#" };
const schemaList = { type: "array", minItems: 1, items: schema };
const schemaMap = { type: "object", additionalProperties: schema };
const names = { type: "array", items: { type: "string" } };
const count = { type: "integer", minimum: 0 };
const text = { type: "string" };
const number = { type: "number" };
const types = { enum: ["array", "boolean", "integer", "null", "number", "object", "string"] };

/** The rules of `meta-schema.ts` as a JSON Schema. */
const metaSchema: JsonSchema = {
  type: ["object", "boolean"],
  properties: {
    $id: text,
    $schema: text,
    $ref: text,
    $anchor: text,
    $dynamicRef: text,
    $dynamicAnchor: text,
    $comment: text,
    $defs: schemaMap,
    definitions: schemaMap,
    title: text,
    description: text,
    type: { anyOf: [types, { type: "array", items: types, minItems: 1, uniqueItems: true }] },
    enum: { type: "array" },
    multipleOf: { type: "number", exclusiveMinimum: 0 },
    maximum: number,
    exclusiveMaximum: number,
    minimum: number,
    exclusiveMinimum: number,
    maxLength: count,
    minLength: count,
    pattern: text,
    format: text,
    items: { anyOf: [schema, schemaList] },
    prefixItems: schemaList,
    additionalItems: schema,
    unevaluatedItems: schema,
    maxItems: count,
    minItems: count,
    uniqueItems: { type: "boolean" },
    contains: schema,
    maxContains: count,
    minContains: count,
    properties: schemaMap,
    patternProperties: schemaMap,
    additionalProperties: schema,
    unevaluatedProperties: schema,
    propertyNames: schema,
    maxProperties: count,
    minProperties: count,
    required: names,
    dependencies: { type: "object", additionalProperties: { anyOf: [schema, names] } },
    dependentRequired: { type: "object", additionalProperties: names },
    dependentSchemas: schemaMap,
    allOf: schemaList,
    anyOf: schemaList,
    oneOf: schemaList,
    not: schema,
    if: schema,
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: schema,
    else: schema,
  },
};

const keywords = [...Object.keys(metaSchema["properties"] as object), "x-unknown"];

const { schema: candidates } = fc.letrec<{ schema: unknown; value: unknown }>((tie) => ({
  schema: fc.oneof(
    { depthSize: "small" },
    fc.dictionary(fc.constantFrom(...keywords), tie("value"), { maxKeys: 3 }),
    fc.boolean(),
  ),
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<unknown>(null, true, "string", "object", "a", -1, 0, 1, 2.5, [], {}, [
      "string",
    ]),
    fc.array(fc.constantFrom("string", "null", "a", 1), { maxLength: 3 }),
    tie("schema"),
    fc.array(tie("schema"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("a", "b/c", "type"), tie("schema"), { maxKeys: 2 }),
    fc.dictionary(fc.constantFrom("a", "b"), fc.array(fc.constantFrom("a", 1), { maxLength: 2 })),
  ),
}));

test("a schema is well formed exactly if it matches the meta-schema", () => {
  const compiled = Compile(metaSchema);
  const seen = new Set<boolean>();
  fc.assert(
    fc.property(candidates, (candidate) => {
      const isWellFormed = metaSchemaProblem(candidate as JsonSchema) === undefined;
      seen.add(isWellFormed);
      assert.equal(isWellFormed, compiled.Check(candidate), JSON.stringify(candidate));
    }),
    { numRuns: 2_000 },
  );
  assert.equal(seen.size, 2);
});

test("an error names the keyword and its expected value", () => {
  const problem = (candidate: unknown) => metaSchemaProblem(candidate as JsonSchema);
  assert.equal(
    problem({ properties: { "a/b": { maxLength: -1 } } }),
    "This is not a JSON Schema: /properties/a~1b/maxLength must be a whole number of at least 0.",
  );
  assert.equal(
    problem({ allOf: [true, "x"] }),
    "This is not a JSON Schema: /allOf/1 must be a schema, which is an object, true or false.",
  );
  assert.match(problem({ type: ["string", "string"] }) ?? "", /^[^.]* \/type must be one of /);
  assert.match(problem([]) ?? "", /: it must be a schema/);
});
