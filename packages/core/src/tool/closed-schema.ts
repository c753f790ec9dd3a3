import type { JsonSchema } from "../base/json.ts";
import { isObject } from "../json/json-value.ts";

/**
 * Returns a schema that also rejects properties which it does not name. A Standard Schema such as
 * Zod drops such properties when it parses. A misspelled option would then have no effect, and the
 * model would get no error. An object that allows other properties keeps its
 * `additionalProperties`.
 *
 * @example closedSchema({ type: "object", properties: { a: {} } }) // … additionalProperties: false
 */
export function closedSchema(schema: JsonSchema): JsonSchema {
  // The parts of `allOf` see the properties of each other.
  return JSON.stringify(schema).includes('"allOf"') ? schema : (closed(schema) as JsonSchema);
}

function closed(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const members = Object.entries(schema).map(([key, value]) => {
    if (holdsSchemas.has(key) && isObject(value)) return [key, mapValues(value, closed)] as const;
    if (isSchema.has(key)) return [key, closed(value)] as const;
    return [
      key,
      key === "prefixItems" && Array.isArray(value) ? value.map(closed) : value,
    ] as const;
  });
  const isOpen =
    !isObject(schema["properties"]) ||
    "additionalProperties" in schema ||
    "patternProperties" in schema ||
    "anyOf" in schema ||
    "oneOf" in schema;
  return { ...Object.fromEntries(members), ...(!isOpen && { additionalProperties: false }) };
}

const holdsSchemas: ReadonlySet<string> = new Set(["properties", "$defs", "definitions"]);
const isSchema: ReadonlySet<string> = new Set(["items", "additionalProperties"]);

function mapValues(values: object, map: (value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]));
}
