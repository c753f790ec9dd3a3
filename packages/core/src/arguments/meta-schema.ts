import { Errors } from "typebox/schema";
import type { JsonSchema } from "../base/json.ts";
import { checkFunction } from "./check-function.ts";
import { schemaReferences } from "./schema-references.ts";

const schema = { $ref: "#" };
const schemaList = { type: "array", minItems: 1, items: schema };
const schemaMap = { type: "object", additionalProperties: schema };
const names = { type: "array", items: { type: "string" } };
const count = { type: "integer", minimum: 0 };
const text = { type: "string" };
const number = { type: "number" };
const types = { enum: ["array", "boolean", "integer", "null", "number", "object", "string"] };

/**
 * The allowed values of a schema's keywords, for draft-07 and 2020-12 together. The published
 * meta-schemas are equivalent, but the newer one takes 80 ms to compile.
 */
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

let isSchema: ReturnType<typeof checkFunction> | undefined;

/** Returns the location of an error in a schema, or undefined if it is well formed. */
export function metaSchemaProblem(candidate: JsonSchema): string | undefined {
  isSchema ??= checkFunction(metaSchema);
  if (isSchema(candidate)) return undefined;
  const [, errors] = Errors(metaSchema, candidate);
  const error = errors.findLast(({ keyword }) => keyword === "anyOf") ?? errors[0];
  const where = error ? `${error.instancePath || "it"} ${error.message}` : "it is malformed";
  return `This is not a JSON Schema: ${where}.`;
}

/**
 * Returns an error that names a reference without a valid target, or undefined if all are valid.
 */
export function referenceProblem(schema: JsonSchema): string | undefined {
  const { dangling, targets } = schemaReferences(schema);
  if (dangling !== undefined) {
    const shown = JSON.stringify(dangling.slice(0, 200));
    return `The reference ${shown} has no target in the schema, and nothing is fetched. Put its target under $defs.`;
  }
  // The value of an unknown keyword is a schema only if a reference points to it.
  for (const target of new Set(targets.values())) {
    const problem = typeof target === "boolean" ? undefined : metaSchemaProblem(target);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
