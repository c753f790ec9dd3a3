import type { JsonObject, JsonValue } from "@capstan/core";

const combinators = ["anyOf", "oneOf", "allOf"] as const;

/** Keywords at the root of a schema that hosts reject. */
const rejected = new Set<string>([...combinators, "not", "if", "then", "else", "$ref", "enum"]);

/**
 * Returns the schema of a tool's arguments in the form that all hosts accept: its root is an object
 * with properties. Alternatives at the root become optional properties; the gate still checks the
 * whole schema.
 */
export function flatSchema(schema: JsonObject): JsonObject {
  const root = atReference(schema);
  const properties: { [name: string]: JsonValue } = {};
  const branches = combinators.flatMap((name) => objects(root[name]));
  for (const part of [...branches.map((branch) => atReference(branch, schema)), root])
    Object.assign(properties, isObject(part["properties"]) ? part["properties"] : {});
  const rest = Object.entries({ ...defsOf(schema), ...root }).filter(
    ([name]) => !rejected.has(name),
  );
  return { ...Object.fromEntries(rest), type: "object", properties };
}

function defsOf({ $defs, definitions }: JsonObject): JsonObject {
  return {
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  };
}

/** Follows one local reference, as generators write it at the root. */
function atReference(schema: JsonObject, document = schema): JsonObject {
  const path = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(
    JSON.stringify(schema["$ref"] ?? "").slice(1, -1),
  );
  const defs = document[path?.[1] ?? ""];
  const found = isObject(defs) ? defs[path?.[2] ?? ""] : undefined;
  return isObject(found) ? { ...found, ...schema } : schema;
}

function objects(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
