import type { ScriptToolView } from "@capstan/contract";
import { scriptsTexts } from "../texts/scripts.ts";
import { formatChoices } from "../texts/numbers/count.ts";

type JsonSchema = ScriptToolView["parameters"];

/** One parameter of a tool, as a field of a form. */
export interface ArgumentField {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** The kind of value: `text`, a `number`, one of `choices`, or `json`. */
  readonly type: "text" | "number" | "choice" | "json";
  /** As JSON; only for `choice`. */
  readonly choices: readonly string[];
  /** In words: `integer`, `list of string`, `"c" or "f"`. */
  readonly typeText: string;
  /** As JSON; `undefined` if there is none. */
  readonly defaultText: string | undefined;
}

export type ReadArguments =
  | { readonly type: "arguments"; readonly value: { readonly [name: string]: unknown } }
  | { readonly type: "invalid"; readonly errors: { readonly [field: string]: string } };

/** Returns the fields of a form for a tool's JSON Schema, in the schema's order. */
export function argumentFields(schema: JsonSchema): readonly ArgumentField[] {
  const properties = objectAt(schema, "properties");
  const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(properties).map(([name, given]) => {
    const whole = resolved(given, schema);
    const one = withoutNull(whole, schema);
    const choices = choicesOf(one);
    const type = choices.length > 0 ? "choice" : plainType(one);
    return {
      name,
      description: textAt(whole, "description") || textAt(one, "description"),
      isRequired: required.includes(name),
      type,
      choices,
      typeText: typeText(whole, schema),
      defaultText: "default" in whole ? JSON.stringify(whole["default"]) : undefined,
    };
  });
}

/**
 * Reads the fields as arguments. Omits empty optional fields. Checks only the types; the server
 * checks the values.
 */
export function readArguments(
  fields: readonly ArgumentField[],
  written: { readonly [name: string]: string },
): ReadArguments {
  const errors: Record<string, string> = {};
  const entries = fields.flatMap((field): readonly (readonly [string, unknown])[] => {
    const text = written[field.name] ?? "";
    const isText = field.type === "text";
    if (text === "" && !(isText && field.isRequired)) {
      if (field.isRequired) errors[field.name] = scriptsTexts.trial.required;
      return [];
    }
    const read = isText ? { value: text } : readValue(field, text);
    if ("error" in read) {
      errors[field.name] = read.error;
      return [];
    }
    return [[field.name, read.value]];
  });
  return Object.keys(errors).length > 0
    ? { type: "invalid", errors }
    : { type: "arguments", value: Object.fromEntries(entries) };
}

function readValue(
  field: ArgumentField,
  text: string,
): { readonly value: unknown } | { readonly error: string } {
  if (field.type === "number") {
    const value = Number(text);
    return text.trim() === "" || !Number.isFinite(value)
      ? { error: scriptsTexts.trial.number }
      : { value };
  }
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : "";
    return { error: scriptsTexts.trial.notJson(why) };
  }
}

type Schema = { readonly [key: string]: unknown };

/** The maximum number of characters of choices to list. */
const mostTypeText = 60;

function plainType(schema: Schema): ArgumentField["type"] {
  switch (schema["type"]) {
    case "string":
      return "text";
    case "integer":
    case "number":
      return "number";
    default:
      return "json";
  }
}

function choicesOf(schema: Schema): readonly string[] {
  if (schema["type"] === "boolean") return ["true", "false"];
  if ("const" in schema) return [JSON.stringify(schema["const"])];
  return Array.isArray(schema["enum"])
    ? schema["enum"].map((value: unknown) => JSON.stringify(value))
    : [];
}

/** Describes a type in a few words, for users who do not know JSON Schema. */
function typeText(schema: Schema, root: JsonSchema): string {
  const one = withoutNull(resolved(schema, root), root);
  if (Array.isArray(one["enum"])) {
    const listed = formatChoices(choicesOf(one));
    return listed.length <= mostTypeText ? listed : scriptsTexts.trial.oneOf(one["enum"].length);
  }
  const alternatives = alternativesOf(one);
  if (alternatives.length > 0)
    return formatChoices(alternatives.map((other) => typeText(other, root)));
  if (one["type"] === "array") {
    return isSchema(one["items"])
      ? scriptsTexts.trial.listOf(typeText(one["items"], root))
      : scriptsTexts.trial.list;
  }
  const { type } = one;
  return Array.isArray(type)
    ? formatChoices(type)
    : typeof type === "string"
      ? type
      : scriptsTexts.trial.anything;
}

/** `Optional[int]` gets a field for an int: if it stays empty, the value is null or the default. */
function withoutNull(schema: Schema, root: JsonSchema): Schema {
  if (Array.isArray(schema["type"])) {
    const types = (schema["type"] as unknown[]).filter((type) => type !== "null");
    return types.length === 1 ? { ...schema, type: types[0] } : schema;
  }
  const others = alternativesOf(schema).filter((other) => other["type"] !== "null");
  const [only] = others;
  return others.length === 1 && only !== undefined ? resolved(only, root) : schema;
}

function alternativesOf(schema: Schema): readonly Schema[] {
  const among = schema["anyOf"] ?? schema["oneOf"];
  return Array.isArray(among) ? among.filter(isSchema) : [];
}

/** Returns a schema, or the schema in the same document that it refers to. */
function resolved(schema: unknown, root: JsonSchema): Schema {
  if (!isSchema(schema)) return {};
  const named = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(textAt(schema, "$ref"));
  if (named === null) return schema;
  const [, place = "", name = ""] = named;
  const known = objectAt(root, place);
  const found = Object.hasOwn(known, name) ? known[name] : undefined;
  return isSchema(found) ? { ...found, ...schema } : schema;
}

function objectAt(schema: Schema, key: string): Schema {
  const value = schema[key];
  return isSchema(value) ? value : {};
}

function textAt(schema: Schema, key: string): string {
  const value = schema[key];
  return typeof value === "string" ? value : "";
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
