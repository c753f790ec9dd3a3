import type { JsonObject, JsonValue } from "../base/json.ts";

/** Sets of JSON types as bits; an integer has two. */
export const jsonTypes = {
  null: 1,
  boolean: 2,
  integer: 4,
  fraction: 8,
  number: 12,
  string: 16,
  array: 32,
  object: 64,
  any: 127,
} as const;

/** The type of a value; 0 for what JSON has not. */
export function typeOf(value: unknown): number {
  switch (typeof value) {
    case "string":
      return jsonTypes.string;
    case "number":
      return Number.isInteger(value) ? jsonTypes.integer : jsonTypes.fraction;
    case "boolean":
      return jsonTypes.boolean;
    case "object":
      if (value === null) return jsonTypes.null;
      return Array.isArray(value) ? jsonTypes.array : jsonTypes.object;
    default:
      return 0;
  }
}

/** The set that a schema's `type` names. */
export function typesNamed(type: unknown): number {
  if (typeof type === "string") {
    return Object.hasOwn(jsonTypes, type) ? jsonTypes[type as keyof typeof jsonTypes] : 0;
  }
  return Array.isArray(type)
    ? type.reduce<number>((types, one) => types | typesNamed(one), 0)
    : jsonTypes.any;
}

const words: { readonly [type: number]: string } = {
  [jsonTypes.null]: "null",
  [jsonTypes.boolean]: "a boolean",
  [jsonTypes.integer]: "a whole number",
  [jsonTypes.fraction]: "a number",
  [jsonTypes.string]: "text",
  [jsonTypes.array]: "a list",
  [jsonTypes.object]: "an object",
};

/** In words, for people and models: `a number`, `text`. */
export function describeType(value: unknown): string {
  return words[typeOf(value)] ?? `a ${typeof value}`;
}

export function isList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
