import { mapKeywords, valueKeywords } from "./schema-keywords.ts";

type Node = { readonly [key: string]: unknown };

/**
 * Loosens what would turn stricter because some parts of a schema (`loose`) let more pass than was
 * written: `not`, `if`, `oneOf`, `maxContains` and `unevaluated…`. A reference counts as loose.
 */
export function looseSchema(schema: unknown, loose: WeakSet<object>): unknown {
  if (typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map((one) => looseSchema(one, loose));
  const node = schema as Node;
  const dropped = new Set(["unevaluatedProperties", "unevaluatedItems"]);
  if (isLoose(node["not"], loose)) dropped.add("not");
  if (isLoose(node["contains"], loose)) dropped.add("maxContains");
  if (isLoose(node["if"], loose)) for (const key of ["if", "then", "else"]) dropped.add(key);
  const exactlyOne = isLoose(node["oneOf"], loose);
  if (exactlyOne) dropped.add("oneOf");
  const kept = Object.entries(node).filter(([key]) => !dropped.has(key));
  const result: Node = Object.fromEntries(
    kept.map(([key, member]) => [key, looseMember(key, member, loose)]),
  );
  if (!exactlyOne) return result;
  const all = Array.isArray(result["allOf"]) ? (result["allOf"] as readonly unknown[]) : [];
  return { ...result, allOf: [...all, { anyOf: looseSchema(node["oneOf"], loose) }] };
}

function looseMember(key: string, member: unknown, loose: WeakSet<object>): unknown {
  if (valueKeywords.has(key)) return member;
  if (!mapKeywords.has(key) || typeof member !== "object" || member === null)
    return looseSchema(member, loose);
  return Object.fromEntries(
    Object.entries(member).map(([name, schema]) => [name, looseSchema(schema, loose)]),
  );
}

function isLoose(schema: unknown, loose: WeakSet<object>): boolean {
  if (typeof schema !== "object" || schema === null) return false;
  if (loose.has(schema) || "$ref" in schema || "$dynamicRef" in schema) return true;
  return Object.values(schema).some((member) => isLoose(member, loose));
}
