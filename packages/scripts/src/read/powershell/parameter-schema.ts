import type { JsonObject, JsonValue } from "@capstan/core";
import { type AttributeArguments, attributeArguments, literalOf } from "./literal.ts";
import type { OutlineParameter } from "./outline.ts";

/** A parameter as JSON Schema. */
export interface ReadParameter {
  readonly schema: JsonObject;
  readonly required: boolean;
  /** The name of an unknown type: any value is accepted. */
  readonly unknownType?: string;
}

const types: { readonly [name: string]: JsonObject } = {
  string: { type: "string" },
  char: { type: "string", minLength: 1, maxLength: 1 },
  regex: { type: "string", format: "regex" },
  uri: { type: "string", format: "uri" },
  guid: { type: "string", format: "uuid" },
  version: { type: "string" },
  timespan: { type: "string" },
  xml: { type: "string" },
  "io.fileinfo": { type: "string" },
  "io.directoryinfo": { type: "string" },
  datetime: { type: "string", format: "date-time" },
  datetimeoffset: { type: "string", format: "date-time" },
  ...Object.fromEntries(
    "int int16 int32 int64 long short sbyte bigint numerics.biginteger"
      .split(" ")
      .map((name) => [name, { type: "integer" }]),
  ),
  ...Object.fromEntries(
    "uint uint16 uint32 uint64 ulong ushort"
      .split(" ")
      .map((name) => [name, { type: "integer", minimum: 0 }]),
  ),
  byte: { type: "integer", minimum: 0, maximum: 255 },
  ...Object.fromEntries(
    "double single float decimal".split(" ").map((name) => [name, { type: "number" }]),
  ),
  bool: { type: "boolean" },
  boolean: { type: "boolean" },
  switch: { type: "boolean" },
  "management.automation.switchparameter": { type: "boolean" },
  array: { type: "array" },
  ...Object.fromEntries(
    "hashtable collections.hashtable ordered pscustomobject idictionary collections.idictionary"
      .split(" ")
      .map((name) => [name, { type: "object" }]),
  ),
  object: {},
  psobject: {},
  "management.automation.psobject": {},
};

/** Returns the JSON Schema of a parameter, from its type, attributes and default. */
export function readParameter(parameter: OutlineParameter): ReadParameter {
  // Type names have no arguments and can be anywhere among the attributes.
  const type = parameter.attributes.findLast((one) => one.arguments === undefined);
  const known = type === undefined ? {} : typeSchema(type.name);
  const isSwitch = type !== undefined && /(?:^|\.)switch(?:parameter)?$/i.test(type.name);
  const attributes = parameter.attributes.flatMap(({ name, arguments: given }) =>
    given === undefined
      ? []
      : [
          {
            name: name
              .replace(/^system\.management\.automation\./i, "")
              .replace(/attribute$/i, "")
              .toLowerCase(),
            given: attributeArguments(given),
          },
        ],
  );
  let schema: JsonObject = known ?? {};
  for (const { name, given } of attributes) schema = withAttribute(schema, name, given);
  const isMandatory = attributes.some(
    ({ name, given }) =>
      name === "parameter" &&
      // PowerShell converts the value to a Boolean, so `Mandatory=1` is mandatory.
      Boolean(given.named.get("mandatory")) &&
      // It belongs to one parameter set: calls of another set omit it.
      !given.named.has("parametersetname"),
  );
  const value = isSwitch
    ? false
    : parameter.default === undefined
      ? undefined
      : literalOf(parameter.default);
  return {
    schema: value === undefined || isMandatory ? schema : { ...schema, default: value },
    required: isMandatory,
    ...(known === undefined && { unknownType: type?.name ?? "" }),
  };
}

function typeSchema(written: string): JsonObject | undefined {
  const name = written.toLowerCase().replace(/^system\./, "");
  const list =
    /^(.+)\[\]$/.exec(name) ??
    /^(?:collections\.generic\.)?(?:i?list|ienumerable|icollection|hashset)\[(.+)\]$/.exec(name);
  if (list !== null) {
    if (list[1] === "byte") return { type: "string", contentEncoding: "base64" };
    const items = typeSchema(list[1] ?? "");
    return items === undefined || Object.keys(items).length === 0
      ? { type: "array" }
      : { type: "array", items };
  }
  const map = /^(?:collections\.generic\.)?i?dictionary\[[^,]+,(.+)\]$/.exec(name);
  if (map !== null) return { type: "object", additionalProperties: typeSchema(map[1] ?? "") ?? {} };
  const nullable = /^nullable\[(.+)\]$/.exec(name);
  if (nullable !== null) return withNull(typeSchema(nullable[1] ?? "") ?? {});
  return Object.hasOwn(types, name) ? types[name] : undefined;
}

const ranges: { readonly [kind: string]: JsonObject } = {
  positive: { exclusiveMinimum: 0 },
  negative: { exclusiveMaximum: 0 },
  nonnegative: { minimum: 0 },
  nonpositive: { maximum: 0 },
};

function withAttribute(
  schema: JsonObject,
  name: string,
  { named, positional }: AttributeArguments,
): JsonObject {
  const [first, second] = positional;
  switch (name) {
    case "validateset": {
      const values = positional.filter((value) => value !== undefined);
      return values.length === 0
        ? schema
        : withinItems(schema, (inner) => ({ ...inner, enum: asTyped(values, inner) }));
    }
    case "validaterange": {
      const kind = [...named.keys()][0] ?? (typeof first === "string" ? first.toLowerCase() : "");
      const range = Object.hasOwn(ranges, kind) ? ranges[kind] : undefined;
      const bounds = range ?? {
        ...(typeof first === "number" && { minimum: first }),
        ...(typeof second === "number" && { maximum: second }),
      };
      return withinItems(schema, (inner) => ({ ...inner, ...bounds }));
    }
    case "validatelength":
      return withinItems(schema, (inner) => ({
        ...inner,
        ...(typeof first === "number" && { minLength: first }),
        ...(typeof second === "number" && { maxLength: second }),
      }));
    case "validatecount":
      return {
        ...schema,
        ...(typeof first === "number" && { minItems: first }),
        ...(typeof second === "number" && { maxItems: second }),
      };
    case "validatenotnullorempty":
    case "validatenotnullorwhitespace":
      if (schema["type"] === "array") return { ...schema, minItems: schema["minItems"] ?? 1 };
      return schema["type"] === "string"
        ? { ...schema, minLength: schema["minLength"] ?? 1 }
        : schema;
    case "allownull":
      return withNull(schema);
    default:
      return schema;
  }
}

/** Applies the constraints of a list to each of its items. */
function withinItems(schema: JsonObject, change: (inner: JsonObject) => JsonObject): JsonObject {
  if (schema["type"] !== "array") return change(schema);
  const { items } = schema;
  return { ...schema, items: change(isObject(items) ? items : {}) };
}

function asTyped(values: readonly JsonValue[], { type }: JsonObject): readonly JsonValue[] {
  if (type === "string")
    return values.map((value) => (typeof value === "string" ? value : JSON.stringify(value)));
  if (type === "integer" || type === "number")
    return values.map((value) =>
      typeof value === "string" && value.trim() !== "" && Number.isFinite(Number(value))
        ? Number(value)
        : value,
    );
  return values;
}

function withNull(schema: JsonObject): JsonObject {
  const { type } = schema;
  return typeof type === "string" ? { ...schema, type: [type, "null"] } : schema;
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
