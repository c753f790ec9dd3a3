import type { JsonSchema, JsonValue } from "../model/json.ts";
import { readPointer } from "../variables/json-pointer.ts";
import { isObject, jsonTypes, typeOf, typesNamed } from "./json-type.ts";
import { decoded } from "./schema-references.ts";

/** Schemas joined in one place before it counts as allowing anything. */
const maxParts = 64;

/** A schema at some place: JSON Schema, or `true` where anything goes, or `false` where nothing does. */
export type SchemaAt = JsonSchema | boolean;

/**
 * What a schema says of places in a value, without validating: which types a place may have, what
 * is required, what keys are known. It errs on the side of allowing, so that what it forbids is
 * really forbidden.
 */
export interface SchemaView {
  /** The types that a place may have, as bits of `jsonTypes`. */
  types(at: SchemaAt): number;
  /** The schema of a key or an index of `value`, which is at this place. */
  child(at: SchemaAt, key: string | number, value: unknown): SchemaAt;
  /** Whether a key of the object may be required. */
  requires(at: SchemaAt, key: string, value: unknown): boolean;
  /** Keys that the schema names at this place. */
  keys(at: SchemaAt): readonly string[];
}

export function schemaView(root: JsonSchema): SchemaView {
  const knownTypes = new WeakMap<object, number>();

  function target(ref: string): SchemaAt {
    if (ref === "#") return root;
    if (!ref.startsWith("#/")) return true;
    const found = readPointer(root as JsonValue, decoded(ref.slice(1)));
    return found.status === "found" ? asSchema(found.value) : true;
  }

  /** The schemas that hold together with this one. */
  function conjuncts(at: JsonSchema): readonly SchemaAt[] {
    const ref = at["$ref"];
    return typeof ref === "string" ? [target(ref), ...schemas(at["allOf"])] : schemas(at["allOf"]);
  }

  function types(at: SchemaAt): number {
    if (typeof at === "boolean") return at ? jsonTypes.any : 0;
    const known = knownTypes.get(at);
    if (known !== undefined) return known;
    // While it is being found out, a schema that refers to itself adds nothing.
    knownTypes.set(at, jsonTypes.any);
    let allowed = typesNamed(at["type"]);
    if (Object.hasOwn(at, "const")) allowed &= typeOf(at["const"]);
    if (Array.isArray(at["enum"]))
      allowed &= at["enum"].reduce<number>((all, one) => all | typeOf(one), 0);
    for (const one of conjuncts(at)) allowed &= types(one);
    for (const alternatives of alternativesOf(at)) {
      allowed &= alternatives.reduce<number>((all, one) => all | types(one), 0);
    }
    knownTypes.set(at, allowed);
    return allowed;
  }

  /** Whether a value can be meant for this alternative: its type fits, and so do its constants. */
  function isPossible(at: SchemaAt, value: unknown): boolean {
    if ((types(at) & typeOf(value)) === 0) return false;
    const properties = typeof at === "object" ? at["properties"] : undefined;
    if (!isObject(properties) || !isObject(value)) return true;
    return Object.entries(properties).every(([key, property]) => {
      if (!isObject(property) || !Object.hasOwn(property, "const") || !Object.hasOwn(value, key))
        return true;
      return (
        property["const"] === value[key] || !isScalar(property["const"]) || !isScalar(value[key])
      );
    });
  }

  function child(
    at: SchemaAt,
    key: string | number,
    value: unknown,
    seen = new Map<object, SchemaAt>(),
  ): SchemaAt {
    if (typeof at === "boolean") return at;
    const known = seen.get(at);
    if (known !== undefined) return known;
    seen.set(at, true);
    const parts: SchemaAt[] = [
      typeof key === "number" ? itemSchema(at, key) : propertySchema(at, key),
    ];
    for (const one of conjuncts(at)) parts.push(child(one, key, value, seen));
    for (const alternatives of alternativesOf(at)) {
      const possible = alternatives.filter((one) => isPossible(one, value));
      parts.push(
        joined(
          "anyOf",
          possible.map((one) => child(one, key, value, seen)),
        ),
      );
    }
    const found = joined("allOf", parts);
    seen.set(at, found);
    return found;
  }

  function requires(at: SchemaAt, key: string, value: unknown, seen = new Set<object>()): boolean {
    if (typeof at === "boolean" || seen.has(at)) return false;
    seen.add(at);
    if (Array.isArray(at["required"]) && at["required"].includes(key)) return true;
    const possible = alternativesOf(at).flatMap((some) =>
      some.filter((one) => isPossible(one, value)),
    );
    return [...conjuncts(at), ...possible].some((one) => requires(one, key, value, seen));
  }

  function collectKeys(at: SchemaAt, found: Set<string>, seen: Set<object>): void {
    if (typeof at === "boolean" || seen.has(at)) return;
    seen.add(at);
    if (isObject(at["properties"])) for (const key of Object.keys(at["properties"])) found.add(key);
    const parts = [
      ...conjuncts(at),
      ...alternativesOf(at).flat(),
      ...schemas(at["then"]),
      ...schemas(at["else"]),
    ];
    for (const one of parts) collectKeys(one, found, seen);
  }

  return {
    types,
    child: (at, key, value) => child(at, key, value),
    requires: (at, key, value) => requires(at, key, value),
    keys(at) {
      const found = new Set<string>();
      collectKeys(at, found, new Set());
      return [...found];
    },
  };
}

function alternativesOf(at: JsonSchema): readonly (readonly SchemaAt[])[] {
  return [schemas(at["anyOf"]), schemas(at["oneOf"])].filter(
    (alternatives) => alternatives.length > 0,
  );
}

function propertySchema(at: JsonSchema, key: string): SchemaAt {
  const { properties, patternProperties, additionalProperties } = at;
  if (isObject(properties) && Object.hasOwn(properties, key)) return asSchema(properties[key]);
  // A key may match a pattern, which is not tried here: what is unclear is allowed.
  if (isObject(patternProperties)) return true;
  return additionalProperties === undefined ? true : asSchema(additionalProperties);
}

function itemSchema(at: JsonSchema, index: number): SchemaAt {
  const listed = Array.isArray(at["prefixItems"]) ? at["prefixItems"] : at["items"];
  if (Array.isArray(listed)) {
    if (index < listed.length) return asSchema(listed[index]);
    const rest = listed === at["items"] ? at["additionalItems"] : at["items"];
    return rest === undefined ? true : asSchema(rest);
  }
  return at["items"] === undefined ? true : asSchema(at["items"]);
}

/** How many schemas a joined one is made of; one that was written counts as one. */
const sizes = new WeakMap<object, number>();

/**
 * All of some schemas, or any of them, as one. Joined schemas are flattened and bounded: what a
 * recursive schema comes to must not grow with the depth of the value.
 */
function joined(keyword: "allOf" | "anyOf", parts: readonly SchemaAt[]): SchemaAt {
  const [neutral, absorbing] = keyword === "allOf" ? [true, false] : [false, true];
  const flat = parts.flatMap((part) =>
    typeof part === "object" && sizes.has(part) ? (partsOf(part, keyword) ?? part) : part,
  );
  const telling = [...new Set(flat)].filter((part) => part !== neutral);
  if (telling.includes(absorbing)) return absorbing;
  if (telling.length <= 1) return telling[0] ?? neutral;
  const size = telling.reduce<number>((sum, part) => sum + (sizes.get(part as object) ?? 1), 0);
  if (size > maxParts) return true;
  const schema = { [keyword]: telling };
  sizes.set(schema, size);
  return schema;
}

function partsOf(schema: JsonSchema, keyword: string): readonly SchemaAt[] | undefined {
  return schema[keyword] as readonly SchemaAt[] | undefined;
}

function schemas(value: unknown): readonly SchemaAt[] {
  if (Array.isArray(value)) return value.map(asSchema);
  return isObject(value) || typeof value === "boolean" ? [value] : [];
}

function asSchema(value: unknown): SchemaAt {
  return typeof value === "boolean" || isObject(value) ? value : true;
}

function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}
