import type { JsonSchema } from "@capstan/core";

/** The schemas that the operations of a document share, by name. */
export type SharedDefs = { readonly [name: string]: JsonSchema };

/** Whether a schema describes the arguments of requests or their results. */
export type Direction = "request" | "response";

const reference = /^#\/\$defs\/([\w.-]+)$/;

/**
 * Returns a copy of a schema for one direction, and the names of the definitions that it refers to.
 * Properties that the document marks as read-only are left out of requests. In responses,
 * write-only properties are not required.
 */
export function directedSchema(
  schema: JsonSchema,
  defs: SharedDefs,
  direction: Direction,
): { readonly schema: JsonSchema; readonly references: readonly string[] } {
  const references = new Set<string>();
  return { schema: copy(schema) as JsonSchema, references: [...references] };

  function copy(value: unknown, isMap = false): unknown {
    if (Array.isArray(value)) return value.map((item) => copy(item));
    if (!isObject(value)) return value;
    const name = isMap ? undefined : referenceOf(value);
    if (name !== undefined) references.add(name);
    const entries = Object.entries(isMap ? value : directed(value)).flatMap(
      ([key, member]): readonly (readonly [string, unknown])[] => {
        if (!isMap && (key === "readOnly" || key === "writeOnly")) return [];
        if (!isMap && literals.has(key)) return [[key, member]];
        return [[key, copy(member, !isMap && maps.has(key))]];
      },
    );
    return Object.fromEntries(entries);
  }

  /** Leaves out the properties of the other direction. */
  function directed(node: { readonly [key: string]: unknown }): object {
    const { properties, required } = node;
    if (!isObject(properties)) return node;
    const flag = direction === "request" ? "readOnly" : "writeOnly";
    const others = Object.entries(properties).flatMap(([name, property]) =>
      isFlagged(property, flag) ? [name] : [],
    );
    if (others.length === 0) return node;
    const left = new Set(others);
    return {
      ...node,
      ...(direction === "request" && {
        properties: Object.fromEntries(
          Object.entries(properties).filter(([name]) => !left.has(name)),
        ),
      }),
      ...(Array.isArray(required) && {
        required: required.filter((name) => !left.has(name as string)),
      }),
    };
  }

  function isFlagged(property: unknown, flag: string): boolean {
    if (!isObject(property)) return false;
    if (property[flag] === true) return true;
    const name = referenceOf(property);
    return name !== undefined && Object.hasOwn(defs, name) && defs[name]?.[flag] === true;
  }
}

/** Keywords whose members are named by the document's author. */
const maps = new Set(["properties", "patternProperties", "$defs", "dependentSchemas"]);
/** Keywords whose values are not schemas. */
const literals = new Set(["const", "enum", "default", "required"]);

function referenceOf(node: { readonly [key: string]: unknown }): string | undefined {
  return typeof node["$ref"] === "string" ? reference.exec(node["$ref"])?.[1] : undefined;
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
