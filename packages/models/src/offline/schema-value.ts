import type { JsonObject, JsonSchema, JsonValue } from "@capstan/core";
import { compileSchema } from "@capstan/core/host";
import { exampleOf } from "./help-text.ts";

/**
 * Returns a plausible value that satisfies a schema, as JSON. Its first free text is `text`.
 * Schemas with conditions that no simple value satisfies get the nearest value.
 */
export function schemaValue(schema: JsonSchema, text: string): JsonValue {
  const compiled = compileSchema(schema);
  const isValid = (value: JsonValue): boolean =>
    compiled.status === "compiled" && compiled.validator.isValid(value);
  const state: State = { root: schema, text };
  const candidates = [
    () => ({ text }),
    () => valueOf(schema, { ...state }, "", 0),
    () => valueOf(schema, { ...state, text: undefined }, "", 0),
    () => valueOf(schema, { ...state, text: undefined, allProperties: true }, "", 0),
  ];
  for (const candidate of candidates) {
    const value = candidate();
    if (isValid(value)) return value;
  }
  return valueOf(schema, state, "", 0);
}

interface State {
  readonly root: JsonSchema;
  /** The value of the first free text. */
  text: string | undefined;
  /** Whether optional properties are included. @default false */
  readonly allProperties?: boolean;
}

const maxDepth = 12;
const deepLevel = 3;

function valueOf(given: JsonSchema, state: State, name: string, depth: number): JsonValue {
  const schema = merged(given, state);
  if (schema["const"] !== undefined) return schema["const"] as JsonValue;
  const choices = schema["enum"];
  if (Array.isArray(choices) && choices.length > 0) return choices[0] as JsonValue;
  const example = listOf(schema["examples"])[0] ?? schema["default"];
  if (example !== undefined) return example as JsonValue;
  if (depth > maxDepth) return null;
  const options = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])].filter(isSchema);
  // Beyond this depth, null and empty lists end a schema that refers to itself.
  const isDeep = depth > deepLevel;
  const option = options.find((each) => (each["type"] === "null") === isDeep) ?? options[0];
  if (option !== undefined) {
    const { anyOf: _any, oneOf: _one, ...rest } = schema;
    return valueOf({ ...rest, ...option }, state, name, depth + 1);
  }
  switch (typeOf(schema)) {
    case "object":
      return objectOf(schema, state, depth);
    case "array":
      return arrayOf(schema, state, name, depth);
    case "integer":
    case "number":
      return numberOf(schema);
    case "boolean":
      return true;
    case "string":
      return textOf(schema, state, name);
    default:
      return null;
  }
}

/** Resolves a reference in the schema, and merges the parts of `allOf`. */
function merged(schema: JsonSchema, { root }: State): JsonSchema {
  let found: JsonSchema = schema;
  for (let count = 0; count < maxDepth && typeof found["$ref"] === "string"; count++) {
    const { $ref, ...rest } = found;
    found = { ...targetOf(root, $ref), ...rest };
  }
  const parts = listOf(found["allOf"]).filter(isSchema);
  return parts.reduce<JsonSchema>(
    (whole, part) => mergedPair(whole, merged(part, { root, text: undefined })),
    found,
  );
}

function mergedPair(one: JsonSchema, other: JsonSchema): JsonSchema {
  const properties = { ...schemasOf(one["properties"]), ...schemasOf(other["properties"]) };
  const required = [...listOf(one["required"]), ...listOf(other["required"])];
  return {
    ...one,
    ...other,
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required }),
  };
}

function targetOf(root: JsonSchema, reference: string): JsonSchema {
  let found: unknown = root;
  for (const step of reference.replace(/^#\/?/, "").split("/").filter(Boolean)) {
    const key = decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~");
    found = isSchema(found) ? found[key] : undefined;
  }
  return isSchema(found) ? found : {};
}

function typeOf(schema: JsonSchema): unknown {
  const type = schema["type"];
  if (Array.isArray(type)) return (type as unknown[]).find((each) => each !== "null") ?? "null";
  if (type !== undefined) return type;
  if ("properties" in schema || "required" in schema) return "object";
  return "items" in schema || "prefixItems" in schema ? "array" : "string";
}

function objectOf(schema: JsonSchema, state: State, depth: number): JsonObject {
  const properties = schemasOf(schema["properties"]);
  const required = listOf(schema["required"]).filter((name) => typeof name === "string");
  const names = state.allProperties === true ? Object.keys(properties) : [];
  const extra = isSchema(schema["additionalProperties"]) ? schema["additionalProperties"] : {};
  const all = [...new Set([...required, ...names])];
  for (let n = 1; all.length < numberIn(schema, "minProperties", 0); n++) all.push(`key${n}`);
  return Object.fromEntries(
    all.map((name) => [name, valueOf(properties[name] ?? extra, state, name, depth + 1)]),
  );
}

/** The maximum number of elements, whatever the schema requires. */
const maxElements = 100;

function arrayOf(schema: JsonSchema, state: State, name: string, depth: number): JsonValue {
  const first = listOf(schema["prefixItems"]).filter(isSchema);
  const items = isSchema(schema["items"]) ? schema["items"] : {};
  const most = numberIn(schema, "maxItems", maxElements);
  const usual = "items" in schema && depth <= deepLevel ? 1 : 0;
  const least = Math.max(numberIn(schema, "minItems", 0), first.length, usual);
  const count = Math.min(least, most, maxElements);
  const choices = listOf(items["enum"]);
  return Array.from({ length: count }, (_, n): JsonValue => {
    const choice = choices[n];
    if (choice !== undefined) return choice as JsonValue;
    const value = valueOf(first[n] ?? items, state, name, depth + 1);
    if (schema["uniqueItems"] !== true || n === 0) return value;
    if (typeof value === "number") return value + n;
    return typeof value === "string" ? `${value} ${n + 1}` : value;
  });
}

function numberOf(schema: JsonSchema): number {
  const step = numberIn(schema, "multipleOf", typeOf(schema) === "integer" ? 1 : 0);
  const above = numberIn(schema, "exclusiveMinimum", Number.NEGATIVE_INFINITY);
  const below = numberIn(schema, "exclusiveMaximum", Number.POSITIVE_INFINITY);
  const least = Math.max(numberIn(schema, "minimum", Number.NEGATIVE_INFINITY), above);
  const most = Math.min(numberIn(schema, "maximum", Number.POSITIVE_INFINITY), below);
  const unit = step === 0 ? 1 : step;
  const fits = (value: number) => value >= least && value <= most && value > above && value < below;
  const start = Number.isFinite(least)
    ? Math.ceil(least / unit) * unit
    : Math.floor(most / unit) * unit;
  const middle = (least + most) / 2;
  const candidates = [unit, start, start + unit, start - unit, ...(step === 0 ? [middle] : [])];
  return candidates.find((value) => Number.isFinite(value) && fits(value)) ?? 1;
}

function textOf(schema: JsonSchema, state: State, name: string): string {
  const least = numberIn(schema, "minLength", 0);
  const most = numberIn(schema, "maxLength", Number.POSITIVE_INFINITY);
  const isFree = schema["format"] === undefined && schema["pattern"] === undefined;
  const { text } = state;
  if (isFree && text !== undefined && text.length >= least && text.length <= most) {
    state.text = undefined;
    return text;
  }
  const example = formats[String(schema["format"])] ?? exampleOf(schema, { name, tool: "" }, 0);
  const words = typeof example === "string" ? example : "text";
  return words.padEnd(Math.min(least, 10_000), ".").slice(0, most);
}

const formats: { readonly [format: string]: string } = {
  time: "12:00:00Z",
  duration: "PT1H",
  email: "ann@example.org",
  hostname: "example.org",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uuid: "3f2504e0-4f89-41d3-9a0c-0305e82c3301",
};

function numberIn(schema: JsonSchema, keyword: string, otherwise: number): number {
  const value = schema[keyword];
  return typeof value === "number" ? value : otherwise;
}

function schemasOf(value: unknown): { readonly [name: string]: JsonSchema | undefined } {
  return isSchema(value) ? (value as { readonly [name: string]: JsonSchema }) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
