import type { JsonSchema } from "@capstan/core";

/** Returns a JSON Schema as a short TypeScript type, for a table cell. */
export function typeText(schema: JsonSchema): string {
  const { const: only, enum: values, type } = schema as Shape;
  if (only !== undefined) return JSON.stringify(only);
  if (values !== undefined) return values.map((value) => JSON.stringify(value)).join(" | ");
  const alternatives = (schema as Shape).anyOf ?? (schema as Shape).oneOf;
  if (alternatives !== undefined) return [...new Set(alternatives.map(typeText))].join(" | ");
  if (Array.isArray(type)) return type.map((one) => typeText({ ...schema, type: one })).join(" | ");
  if (type === "array") return listText((schema as Shape).items);
  if (type === "object") return objectText(schema);
  return typeof type === "string" ? type : "any";
}

interface Shape {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly properties?: { readonly [name: string]: JsonSchema };
  readonly required?: readonly string[];
}

function listText(items: JsonSchema | undefined): string {
  const item = items === undefined ? "any" : typeText(items);
  return item.includes(" | ") ? `(${item})[]` : `${item}[]`;
}

function objectText({ properties, required = [] }: Shape): string {
  if (properties === undefined) return "object";
  const members = Object.entries(properties).map(
    ([name, schema]) => `${name}${required.includes(name) ? "" : "?"}: ${typeText(schema)}`,
  );
  return `{ ${members.join(", ")} }`;
}
