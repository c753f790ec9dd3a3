import type { JsonSchema } from "@capstan/core";

type Defs = { readonly [name: string]: JsonSchema };

/** Whether a schema describes the arguments of requests or their results. */
export type Direction = "request" | "response";

const reference = /^#\/\$defs\/([\w.-]+)$/;

/**
 * Returns a self-contained schema: with the definitions that it refers to, directly or through
 * others. Properties that the document marks as read-only are left out of requests. In responses,
 * write-only properties are not required.
 */
export function selfContainedSchema(
  schema: JsonSchema,
  defs: Defs,
  direction: Direction,
): JsonSchema {
  const used = new Map<string, JsonSchema>();
  const waiting: string[] = [];
  const root = copy(schema);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const def = Object.hasOwn(defs, name) ? defs[name] : undefined;
    if (def !== undefined && !used.has(name)) used.set(name, copy(def) as JsonSchema);
  }
  return used.size === 0
    ? (root as JsonSchema)
    : { ...(root as JsonSchema), $defs: Object.fromEntries([...used].sort(byName)) };

  function copy(value: unknown, isMap = false): unknown {
    if (Array.isArray(value)) return value.map((item) => copy(item));
    if (!isObject(value)) return value;
    if (!isMap) {
      const name = typeof value["$ref"] === "string" && reference.exec(value["$ref"])?.[1];
      if (typeof name === "string" && !used.has(name)) waiting.push(name);
    }
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
    const name = typeof property["$ref"] === "string" && reference.exec(property["$ref"])?.[1];
    const target = typeof name === "string" && Object.hasOwn(defs, name) ? defs[name] : undefined;
    return target?.[flag] === true;
  }
}

/** Keywords whose members are named by the document's author, so the names are not keywords. */
const maps = new Set(["properties", "patternProperties", "$defs", "dependentSchemas"]);
/** Keywords whose values are not schemas. */
const literals = new Set(["const", "enum", "default", "required"]);

/**
 * Returns a self-contained schema that is short enough for a model. Definitions that are far from
 * the root are replaced with an empty schema; arguments are still checked with the whole schema.
 *
 * @param longest in characters of JSON
 */
export function shortSchema(schema: JsonSchema, longest: number): JsonSchema {
  const { $defs, ...root } = schema;
  if (!isObject($defs) || JSON.stringify(schema).length <= longest) return schema;
  let size = JSON.stringify(root).length;
  const shown = new Map<string, unknown>();
  const left = new Set<string>();
  let level = referencesIn(root);
  while (level.length > 0) {
    const next: string[] = [];
    for (const name of level) {
      if (shown.has(name) || left.has(name)) continue;
      const def = $defs[name];
      size += JSON.stringify(def ?? {}).length + name.length + 5;
      if (size > longest) left.add(name);
      else {
        shown.set(name, def);
        next.push(...referencesIn(def));
      }
    }
    level = next;
  }
  for (const name of left)
    shown.set(name, { description: `${name}: not shown here, because it is large.` });
  return { ...root, $defs: Object.fromEntries([...shown].sort(byName)) };
}

function referencesIn(value: unknown): readonly string[] {
  const names: string[] = [];
  JSON.stringify(value, (key, member: unknown) => {
    const name = key === "$ref" && typeof member === "string" && reference.exec(member)?.[1];
    if (typeof name === "string") names.push(name);
    return member;
  });
  return names;
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1;
}

function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
