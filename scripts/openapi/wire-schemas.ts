import { join } from "node:path";
import { createGenerator } from "ts-json-schema-generator";
import { root } from "../command.ts";

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** JSON Schemas by the name of their type. */
export type WireSchemas = { readonly [name: string]: Json };

/** The files whose exported types describe the HTTP API. */
const files =
  "packages/{contract/src/index,server/src/responses/projection/wire,server/src/completions/wire}.ts";

/**
 * Returns the JSON Schemas of the types of the HTTP API. Their docstrings become descriptions.
 *
 * @returns schemas that refer to each other as `#/components/schemas/NAME`
 */
export function wireSchemas(): WireSchemas {
  const { definitions = {} } = createGenerator({
    path: join(root, files),
    tsconfig: join(root, "scripts/openapi/tsconfig.json"),
    type: "*",
    expose: "export",
    skipTypeCheck: true,
    jsDoc: "extended",
    additionalProperties: true,
    encodeRefs: false,
  }).createSchema("*");
  const found = Object.entries(definitions as { readonly [name: string]: Json });
  const rename = stableNames(found);
  const named = found.map(([name, schema]) => [rename(name), toOpenApi(schema, rename)] as const);
  return Object.fromEntries(named.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

const reference = "#/definitions/";

/**
 * Types without a name get one that contains positions in their file, which change with every edit.
 * They are numbered instead, in the order of the types that refer to them.
 */
function stableNames(found: readonly (readonly [string, Json])[]): (name: string) => string {
  const unnamed = new Map<string, string>();
  const text = JSON.stringify(Object.fromEntries(found.toSorted(([a], [b]) => (a < b ? -1 : 1))));
  for (const [, name = ""] of text.matchAll(/"#\/definitions\/((?:alias|def)-[^"]+)"/g))
    if (!unnamed.has(name)) unnamed.set(name, `Value${unnamed.size + 1}`);
  return (name) => unnamed.get(name) ?? name.replaceAll(/[^\w.-]+/g, "_").replace(/_+$/, "");
}

/** `@default` holds a sentence instead of a value, so it becomes a part of the description. */
function toOpenApi(schema: Json, rename: (name: string) => string): Json {
  if (typeof schema !== "object" || schema === null) return schema;
  if (Array.isArray(schema))
    return (schema as readonly Json[]).map((each) => toOpenApi(each, rename));
  const { default: fallback, $ref: ref, ...rest } = schema as { readonly [key: string]: Json };
  const members = Object.entries(rest).map(([key, value]) => [
    key,
    key === "properties" ? propertiesOf(value, rename) : toOpenApi(value, rename),
  ]);
  const made = Object.fromEntries(members) as { [key: string]: Json };
  if (typeof ref === "string")
    made["$ref"] = `#/components/schemas/${rename(ref.slice(reference.length))}`;
  if (fallback === undefined) return made;
  const text = typeof fallback === "string" ? fallback : JSON.stringify(fallback);
  const before = typeof made["description"] === "string" ? `${made["description"]} ` : "";
  return { ...made, description: `${before}Default: ${text}.` };
}

/** A property can have the name of a keyword. */
function propertiesOf(properties: Json | undefined, rename: (name: string) => string): Json {
  const entries = Object.entries(properties as { readonly [name: string]: Json });
  return Object.fromEntries(entries.map(([name, schema]) => [name, toOpenApi(schema, rename)]));
}
