import type { JsonSchema } from "../base/json.ts";
import { isObject, jsonTypes, typeOf, typesNamed } from "../json/json-value.ts";
import { matchesKey } from "./pattern-check.ts";
import { isLegacySchema, schemaReferences } from "./schema-references.ts";

/** If more schemas than this number apply at one position, anything is allowed there. */
const maxParts = 64;

const empty: JsonSchema = {};

/**
 * The schema of a position in a value: JSON Schema, `true` if anything is allowed, or `false` if
 * nothing is.
 */
export type SchemaAt = JsonSchema | boolean;

/**
 * Information about positions in a value without validation: their possible types, required and
 * known keys. In doubt it allows a value; it forbids only values that the schema forbids.
 */
export interface SchemaView {
  /** Returns the types that a position may have, as bits of `jsonTypes`. */
  types(at: SchemaAt): number;
  /** Returns the schema of a key or an index of `value`, which is at this position. */
  child(at: SchemaAt, key: string | number, value: unknown): SchemaAt;
  /**
   * Returns the number of items that may have their own schemas; all items after these share one.
   */
  tupleLength(at: SchemaAt): number;
  /** Returns whether a key of the object may be required. */
  requires(at: SchemaAt, key: string, value: unknown): boolean;
  /** Returns the keys that the schema names at this position. */
  keys(at: SchemaAt): readonly string[];
}

/** Returns the view of a schema. Follows its references, but does not validate. */
export function schemaView(root: JsonSchema): SchemaView {
  const knownTypes = new WeakMap<object, number>();
  const isLegacy = isLegacySchema(root);

  /**
   * Returns a schema's own keywords. In older drafts, a schema with a reference has no other
   * keywords.
   */
  function own(at: JsonSchema): JsonSchema {
    return isLegacy && typeof at["$ref"] === "string" ? empty : at;
  }

  /** Returns the schemas that a value must match in addition to this one. */
  function conjuncts(at: JsonSchema): readonly SchemaAt[] {
    const all = schemas(own(at)["allOf"]);
    return typeof at["$ref"] === "string"
      ? [schemaReferences(root).targets.get(at) ?? true, ...all]
      : all;
  }

  function types(at: SchemaAt): number {
    if (typeof at === "boolean") return at ? jsonTypes.any : 0;
    const known = knownTypes.get(at);
    if (known !== undefined) return known;
    // Set it first, so that a schema that refers to itself adds no restriction during the
    // computation.
    knownTypes.set(at, jsonTypes.any);
    const { type, enum: values, ...rest } = own(at);
    let allowed = typesNamed(type);
    if (Object.hasOwn(rest, "const")) allowed &= typeOf(rest["const"]);
    if (Array.isArray(values)) allowed &= values.reduce<number>((all, one) => all | typeOf(one), 0);
    for (const one of conjuncts(at)) allowed &= types(one);
    for (const alternatives of alternativesOf(own(at))) {
      allowed &= alternatives.reduce<number>((all, one) => all | types(one), 0);
    }
    knownTypes.set(at, allowed);
    return allowed;
  }

  /**
   * Whether a value may be meant for this alternative, because its type and its constants match.
   */
  function isPossible(at: SchemaAt, value: unknown): boolean {
    return (types(at) & typeOf(value)) !== 0 && !contradicts(at, value, new Set());
  }

  function contradicts(at: SchemaAt, value: unknown, seen: Set<object>): boolean {
    if (typeof at === "boolean" || !isObject(value) || seen.has(at)) return false;
    seen.add(at);
    const { properties } = own(at);
    const isOther =
      isObject(properties) &&
      Object.entries(properties).some(
        ([key, property]) => Object.hasOwn(value, key) && isOtherConstant(property, value[key]),
      );
    return isOther || conjuncts(at).some((one) => contradicts(one, value, seen));
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
      typeof key === "number" ? itemSchema(own(at), key) : propertySchema(own(at), key),
      constantsAt(own(at), key),
    ];
    for (const one of conjuncts(at)) parts.push(child(one, key, value, seen));
    for (const alternatives of alternativesOf(own(at))) {
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

  function tupleLength(at: SchemaAt, seen = new Set<object>()): number {
    if (typeof at === "boolean" || seen.has(at)) return 0;
    seen.add(at);
    const { prefixItems, items } = own(at);
    const listed = Array.isArray(prefixItems) ? prefixItems : items;
    const parts = [...conjuncts(at), ...alternativesOf(own(at)).flat()];
    const lengths = parts.map((one) => tupleLength(one, seen));
    return Math.max(Array.isArray(listed) ? listed.length : 0, ...lengths);
  }

  function requires(at: SchemaAt, key: string, value: unknown, seen = new Set<object>()): boolean {
    if (typeof at === "boolean" || seen.has(at)) return false;
    seen.add(at);
    const { required } = own(at);
    if (Array.isArray(required) && required.includes(key)) return true;
    const possible = alternativesOf(own(at)).flatMap((some) =>
      some.filter((one) => isPossible(one, value)),
    );
    return [...conjuncts(at), ...possible].some((one) => requires(one, key, value, seen));
  }

  function collectKeys(at: SchemaAt, found: Set<string>, seen: Set<object>): void {
    if (typeof at === "boolean" || seen.has(at)) return;
    seen.add(at);
    const keywords = own(at);
    if (isObject(keywords["properties"]))
      for (const key of Object.keys(keywords["properties"])) found.add(key);
    const parts = [
      ...conjuncts(at),
      ...alternativesOf(keywords).flat(),
      ...schemas(keywords["then"]),
      ...schemas(keywords["else"]),
    ];
    for (const one of parts) collectKeys(one, found, seen);
  }

  return {
    types,
    child: (at, key, value) => child(at, key, value),
    tupleLength: (at) => tupleLength(at),
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
  if (isObject(patternProperties)) {
    const matching = Object.entries(patternProperties).flatMap(([pattern, schema]) => {
      const matches = matchesKey(pattern, key);
      return matches === false ? [] : [matches === true ? asSchema(schema) : true];
    });
    if (matching.length > 0) return joined("allOf", matching);
  }
  return additionalProperties === undefined ? true : asSchema(additionalProperties);
}

/** Returns the values at a key of lists and objects in `const` or `enum`. */
function constantsAt(at: JsonSchema, key: string | number): SchemaAt {
  const values = Object.hasOwn(at, "const") ? [at["const"]] : at["enum"];
  if (!Array.isArray(values)) return true;
  const members = (values as readonly unknown[]).filter(
    (value) => typeof value === "object" && value !== null && Object.hasOwn(value, key),
  ) as readonly { readonly [key: string]: unknown }[];
  return members.length === 0 ? true : { enum: members.map((value) => value[key]) };
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

/** The number of original schemas in each joined schema. */
const sizes = new WeakMap<object, number>();

/**
 * Returns one schema for all or any of several. Joined schemas are flattened and bounded: the
 * result for a recursive schema must not grow with the depth of the value.
 */
function joined(keyword: "allOf" | "anyOf", parts: readonly SchemaAt[]): SchemaAt {
  const [neutral, absorbing] = keyword === "allOf" ? [true, false] : [false, true];
  const flat = parts.flatMap((part) =>
    typeof part === "object" && sizes.has(part) ? (partsOf(part, keyword) ?? part) : part,
  );
  const relevant = [...new Set(flat)].filter((part) => part !== neutral);
  if (relevant.includes(absorbing)) return absorbing;
  if (relevant.length <= 1) return relevant[0] ?? neutral;
  const size = relevant.reduce<number>((sum, part) => sum + (sizes.get(part as object) ?? 1), 0);
  if (size > maxParts) return true;
  const schema = { [keyword]: relevant };
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

/** Whether a schema allows only certain scalars, and the value is not one of them. */
function isOtherConstant(schema: unknown, value: unknown): boolean {
  if (!isObject(schema) || !isScalar(value)) return false;
  const allowed = Object.hasOwn(schema, "const") ? [schema["const"]] : schema["enum"];
  return Array.isArray(allowed) && allowed.every((one) => isScalar(one) && one !== value);
}

function isScalar(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}
