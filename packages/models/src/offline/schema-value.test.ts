import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonSchema } from "@capstan/core";
import { compileSchema, loadSchemaChecks } from "@capstan/core/host";
import { schemaValue } from "./schema-value.ts";

await loadSchemaChecks();

const strict = (properties: { readonly [name: string]: JsonSchema }, more: JsonSchema = {}) => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
  ...more,
});

const schemas: readonly JsonSchema[] = [
  strict({ answer: { type: "string" }, score: { type: "number", minimum: 0, maximum: 1 } }),
  strict({ n: { type: "integer", exclusiveMinimum: 3, multipleOf: 5 } }),
  strict({ n: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 } }),
  strict({ n: { type: "integer", maximum: -4 } }),
  strict({ kind: { enum: ["a", "b"] }, fixed: { const: 7 }, flag: { type: "boolean" } }),
  strict({ list: { type: "array", items: { type: "string" }, minItems: 3, uniqueItems: true } }),
  strict({ list: { type: "array", items: { type: "string" }, maxItems: 0 } }),
  strict({ pair: { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }] } }),
  strict({
    maybe: { type: ["string", "null"] },
    other: { anyOf: [{ type: "null" }, { type: "integer" }] },
  }),
  strict({ short: { type: "string", maxLength: 3 }, long: { type: "string", minLength: 40 } }),
  strict({
    at: { type: "string", format: "date-time" },
    mail: { type: "string", format: "email" },
  }),
  strict(
    { steps: { type: "array", items: { $ref: "#/$defs/step" } } },
    {
      $defs: {
        step: strict({
          title: { type: "string" },
          next: { anyOf: [{ $ref: "#/$defs/step" }, { type: "null" }] },
        }),
      },
    },
  ),
  {
    allOf: [strict({ a: { type: "string" } }, { additionalProperties: true }), { required: ["b"] }],
  },
  { type: "array", items: { type: "object" }, minItems: 2 },
  { type: "object", minProperties: 2 },
  { type: "string" },
];

test("a value satisfies its schema, with the given text as its first free text", () => {
  for (const schema of schemas) {
    const value = schemaValue(schema, "I am the offline model.");
    const compiled = compileSchema(schema);
    assert.ok(compiled.status === "compiled");
    assert.deepEqual(compiled.validator.validate(value), [], JSON.stringify({ schema, value }));
  }
  assert.deepEqual(schemaValue(strict({ answer: { type: "string" } }), "Hello."), {
    answer: "Hello.",
  });
  assert.deepEqual(schemaValue({ type: "object" }, "Hello."), { text: "Hello." });
});

test("a schema that refers to itself without an end has a value, too", () => {
  const endless = strict({ next: { $ref: "#" } });
  assert.ok(typeof schemaValue(endless, "x") === "object");
});
