import type { SecurityScheme } from "../definition/operation.ts";
import { isObject, type Node, objectOf, textOf } from "./json-object.ts";
import { resolveReference } from "./resolve-reference.ts";

/** Reads the security schemes of a document. Schemes that are not implemented are named as such. */
export function readSchemes(document: Node): { readonly [name: string]: SecurityScheme } {
  const schemes = objectOf(objectOf(document["components"])["securitySchemes"]);
  return Object.fromEntries(
    Object.entries(schemes).map(([name, raw]) => [name, readScheme(document, raw)]),
  );
}

function readScheme(document: Node, raw: unknown): SecurityScheme {
  try {
    const node = resolveReference(document, raw, "security scheme");
    const { type, scheme, in: place, name } = node;
    if (type === "apiKey" && textOf(name) !== undefined)
      return {
        type,
        // If `in` is missing, assume a header.
        in: place === "query" || place === "cookie" ? place : "header",
        name: String(name),
      };
    const kind = typeof scheme === "string" ? scheme.toLowerCase() : "";
    if (type === "http" && kind === "basic") return { type: "basic" };
    if (type === "http" && kind === "bearer") return { type: "bearer" };
    if (type === "oauth2" || type === "openIdConnect") return { type: "bearer" };
    return { type: "unsupported", name: kind || String(type).slice(0, 50) };
  } catch {
    return { type: "unsupported", name: "unknown" };
  }
}

/** Reads alternatives of schemes, of which a request needs one. */
export function readSecurity(raw: unknown): readonly (readonly string[])[] {
  if (!Array.isArray(raw)) return [];
  return raw.flatMap((one) => (isObject(one) ? [Object.keys(one)] : []));
}
