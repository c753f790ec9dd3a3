import fc from "fast-check";
import type { JsonSchema } from "../src/base/json.ts";

const draft7 = "http://json-schema.org/draft-07/schema#";

/**
 * Few keys and values, so that schemas often match values. Some look like code.
 *
 * Two kinds of values are missing, because Ajv differs from the specification on them. From 1e21
 * on, it computes `multipleOf` from the number's text. It compares `{ toString: 1 }` by calling
 * the function. The validator's own tests cover both.
 */
const key = fc.constantFrom("a", "b", "x-y", "item", '"`\\${1}', "\u2028");
const scalar = fc.constantFrom(
  null,
  true,
  false,
  0,
  1,
  2,
  -1,
  1.5,
  "",
  "a",
  "ab",
  "1",
  "é",
  "😀",
  '"`\\${1}',
);
const pattern = fc.constantFrom("^a", "b$", "^[a-z]+$", "a.*b", "^x-", "^(?:a|b)$", "\\d", "^$");
const size = fc.integer({ min: 0, max: 3 });
const types = fc.constantFrom("null", "boolean", "integer", "number", "string", "array", "object");

/** JSON values of a few shapes. */
export const smallValue: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { weight: 3, arbitrary: scalar },
    { weight: 2, arbitrary: fc.array(tie("value"), { maxLength: 3 }) },
    { weight: 3, arbitrary: dictionary(tie("value")) },
  ),
})).value;

/**
 * Schemas of either draft, with references into `$defs`. They have every supported keyword except
 * `format` and `unevaluated…`. Ajv is wrong on `unevaluated…`: it counts properties that failing
 * alternatives have seen as evaluated, and not those of `contains` or a single `if`.
 */
export function randomSchema(draft: 7 | 2020): fc.Arbitrary<JsonSchema> {
  const { schema } = fc.letrec<{ schema: JsonSchema | boolean }>((tie) => ({
    schema: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      { weight: 1, arbitrary: fc.boolean() },
      { weight: 3, arbitrary: fc.record({ $ref: fc.constantFrom("#/$defs/a", "#/$defs/b") }) },
      { weight: 12, arbitrary: keywords(tie("schema"), draft) },
    ),
  }));
  return fc
    .record({ root: keywords(schema, draft), a: keywords(schema, draft), b: fc.boolean() })
    .map(({ root, a, b }) => ({
      ...(draft === 7 && { $schema: draft7 }),
      ...root,
      // The targets have no references themselves, so that every reference ends.
      $defs: { a: withoutReferences(a), b: { not: { const: b } } },
    }));
}

function keywords(
  schema: fc.Arbitrary<JsonSchema | boolean>,
  draft: 7 | 2020,
): fc.Arbitrary<JsonSchema> {
  const schemas = fc.array(schema, { minLength: 1, maxLength: 3 });
  const both = {
    type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1, maxLength: 3 })),
    enum: fc.uniqueArray(fc.oneof(scalar, smallValue), {
      minLength: 1,
      maxLength: 4,
      selector: JSON.stringify,
    }),
    const: fc.oneof(scalar, smallValue),
    minimum: fc.integer({ min: -2, max: 2 }),
    exclusiveMaximum: fc.integer({ min: -2, max: 2 }),
    multipleOf: fc.constantFrom(1, 2, 0.5),
    minLength: size,
    maxLength: size,
    pattern,
    minItems: size,
    maxItems: size,
    uniqueItems: fc.boolean(),
    contains: schema,
    properties: dictionary(schema),
    patternProperties: fc.dictionary(pattern, schema, { maxKeys: 2 }),
    additionalProperties: schema,
    propertyNames: schema,
    required: fc.uniqueArray(key, { maxLength: 2 }),
    minProperties: size,
    maxProperties: size,
    allOf: schemas,
    anyOf: schemas,
    oneOf: schemas,
    not: schema,
    if: schema,
    // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
    then: schema,
    else: schema,
  };
  const own =
    draft === 7
      ? {
          items: fc.oneof(schema, schemas),
          additionalItems: schema,
          dependencies: dictionary(schema),
        }
      : {
          items: schema,
          prefixItems: schemas,
          minContains: size,
          maxContains: size,
          dependentRequired: dictionary(fc.uniqueArray(key, { maxLength: 2 })),
          dependentSchemas: dictionary(schema),
        };
  const all: { readonly [keyword: string]: fc.Arbitrary<unknown> } = { ...both, ...own };
  return fc
    .subarray(Object.keys(all), { minLength: 1, maxLength: 4 })
    .chain((chosen) =>
      fc.record(
        Object.fromEntries(
          chosen.map((keyword) => [keyword, all[keyword] as fc.Arbitrary<unknown>]),
        ),
      ),
    );
}

function dictionary<T>(value: fc.Arbitrary<T>): fc.Arbitrary<{ [key: string]: T }> {
  return fc
    .uniqueArray(fc.tuple(key, value), { maxLength: 3, selector: ([name]) => name })
    .map((entries) => Object.fromEntries(entries));
}

function withoutReferences(schema: unknown): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema, (name, member: unknown) => (name === "$ref" ? undefined : member)),
  ) as JsonSchema;
}
