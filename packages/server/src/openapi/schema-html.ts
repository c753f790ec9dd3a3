import type { Schema } from "./schemas/operation.ts";

/** Returns a text as HTML. */
export function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** Returns a description as HTML: texts in backticks are code. */
export function prose(text: unknown): string {
  if (typeof text !== "string") return "";
  return escaped(text).replaceAll(/`([^`]+)`/g, "<code>$1</code>");
}

/** Returns a schema as HTML: a table of the members of an object, otherwise its type. */
export function schemaHtml(schema: Schema): string {
  const properties = schema["properties"] as { readonly [name: string]: Schema } | undefined;
  if (properties === undefined) return `<p>${typeHtml(schema)}</p>`;
  const required = new Set(schema["required"] as readonly string[] | undefined);
  const rows = Object.entries(properties).map(([name, member]) => {
    const mark = required.has(name) ? ' <span class="required">required</span>' : "";
    const description = member["description"];
    const more = description === undefined ? "" : `<p>${prose(description)}</p>`;
    return `<tr><td><code>${escaped(name)}</code>${mark}</td><td>${typeHtml(member)}${more}</td></tr>`;
  });
  const base = (schema["allOf"] as readonly Schema[] | undefined)?.map(typeHtml).join(", ");
  const also = base === undefined ? "" : `<p>The members of ${base}, and:</p>`;
  return `${also}<table>${rows.join("")}</table>`;
}

/** Returns the type of a schema as HTML, with links to named types. */
export function typeHtml(schema: Schema): string {
  const { $ref: reference, const: constant, enum: words, type, items, properties } = schema;
  if (typeof reference === "string") {
    const name = escaped(reference.slice(reference.lastIndexOf("/") + 1));
    return `<a href="#type-${name}">${name}</a>`;
  }
  if (constant !== undefined) return code(constant);
  if (Array.isArray(words)) return words.map(code).join(" | ");
  const choices = schema["anyOf"] ?? schema["oneOf"];
  if (Array.isArray(choices)) return (choices as readonly Schema[]).map(typeHtml).join(" | ");
  const parts = schema["allOf"];
  if (Array.isArray(parts)) return (parts as readonly Schema[]).map(typeHtml).join(" &amp; ");
  if (type === "array") return `list of ${typeHtml((items ?? {}) as Schema)}`;
  if (properties !== undefined)
    return memberHtml(properties as { readonly [name: string]: Schema });
  if (Array.isArray(type)) return (type as readonly string[]).join(" | ");
  return typeof type === "string" ? escaped(type) : "any value";
}

function memberHtml(properties: { readonly [name: string]: Schema }): string {
  const members = Object.entries(properties).map(
    ([name, member]) => `<code>${escaped(name)}</code>: ${typeHtml(member)}`,
  );
  return `{ ${members.join(", ")} }`;
}

function code(value: unknown): string {
  return `<code>${escaped(JSON.stringify(value))}</code>`;
}
