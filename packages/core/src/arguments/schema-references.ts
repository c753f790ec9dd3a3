import type { JsonSchema } from "../base/json.ts";
import { isObject } from "../json/json-value.ts";

/** The targets of a schema's references. Includes only targets within the schema. */
interface SchemaReferences {
  /** The target of each schema with a `$ref`. */
  readonly targets: ReadonlyMap<object, JsonSchema | boolean>;
  /** The first reference without a target, or with a target that is not a schema. */
  readonly dangling: string | undefined;
}

type Node = { readonly [key: string]: unknown };

interface Reference {
  readonly node: Node;
  readonly ref: string;
  readonly base: string;
  readonly isDynamic: boolean;
}

/**
 * The URI of a schema without `$id`. It ends with a slash so that relative references can be
 * resolved.
 */
const unnamed = "capstan://schema/";
const known = new WeakMap<JsonSchema, SchemaReferences>();

/**
 * Resolves all references of a schema, including those to an `$id` or `$anchor`. Fetches nothing.
 */
export function schemaReferences(schema: JsonSchema): SchemaReferences {
  let references = known.get(schema);
  if (references === undefined) {
    references = resolveAll(schema);
    known.set(schema, references);
  }
  return references;
}

function resolveAll(schema: JsonSchema): SchemaReferences {
  const resources = new Map<string, Node>([[unnamed, schema]]);
  const anchors = new Map<string, Node>();
  const dynamicAnchors = new Set<string>();
  const references: Reference[] = [];
  const isLegacy = isLegacySchema(schema);
  const seen = new Set<object>();
  collect(schema, { base: unnamed, isMap: false });

  const targets = new Map<object, JsonSchema | boolean>();
  let dangling: string | undefined;
  for (const reference of references) {
    const target = targetOf(reference);
    if (target !== undefined && !reference.isDynamic) targets.set(reference.node, target);
    if (target === undefined && !isFoundLater(reference)) dangling ??= reference.ref;
  }
  return { targets, dangling };

  function collect(value: unknown, at: { base: string; isMap: boolean }): void {
    if (typeof value !== "object" || value === null) return;
    if (seen.has(value)) return;
    seen.add(value);
    if (!isObject(value)) {
      for (const item of Object.values(value)) collect(item, { ...at, isMap: false });
      return;
    }
    const base = at.isMap ? at.base : identify(value, at.base);
    for (const [key, member] of Object.entries(value)) {
      const isMap = !at.isMap && mapKeywords.has(key);
      if (at.isMap || !valueKeywords.has(key)) collect(member, { base, isMap });
    }
  }

  /** Records a schema's names and references. Returns the base URI of its members. */
  function identify(node: Node, outer: string): string {
    const { $id, $ref, $dynamicRef, $anchor, $dynamicAnchor } = node;
    let base = outer;
    if (typeof $id === "string" && !(isLegacy && typeof $ref === "string")) {
      const address = resolved($id, outer) ?? outer;
      const [resource = "", anchor = ""] = address.split("#");
      if (anchor !== "") anchors.set(address, node);
      if (resource !== outer) resources.set(resource, node);
      base = resource;
    }
    for (const anchor of [$anchor, $dynamicAnchor])
      if (typeof anchor === "string") anchors.set(`${base}#${anchor}`, node);
    if (typeof $dynamicAnchor === "string") dynamicAnchors.add($dynamicAnchor);
    if (typeof $ref === "string") references.push({ node, ref: $ref, base, isDynamic: false });
    if (typeof $dynamicRef === "string")
      references.push({ node, ref: $dynamicRef, base, isDynamic: true });
    return base;
  }

  function targetOf({ ref, base }: Reference): JsonSchema | boolean | undefined {
    const address = resolved(ref, base);
    if (address === undefined) return undefined;
    const [resource = "", fragment = ""] = address.split("#");
    const root = resources.get(resource);
    if (fragment === "") return root;
    if (!fragment.startsWith("/")) return anchors.get(`${resource}#${decoded(fragment)}`);
    return root === undefined ? undefined : schemaAt(root, decoded(fragment));
  }

  /** Whether a reference is dynamic, and its anchor is only known during validation. */
  function isFoundLater({ ref, isDynamic }: Reference): boolean {
    return isDynamic && dynamicAnchors.has(ref.slice(ref.indexOf("#") + 1));
  }
}

/**
 * Returns the schema at a pointer, or undefined if there is none or if it is a value or a map of
 * schemas.
 */
function schemaAt(root: Node, pointer: string): JsonSchema | boolean | undefined {
  let at: unknown = root;
  let isMap = false;
  for (const part of pointer.slice(1).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    const isSchema: boolean = !isMap && !Array.isArray(at);
    if (isSchema && valueKeywords.has(key)) return undefined;
    isMap = isSchema && mapKeywords.has(key);
    at = (at as Node)[key];
  }
  return !isMap && (typeof at === "boolean" || isObject(at)) ? at : undefined;
}

function resolved(reference: string, base: string): string | undefined {
  if (URL.canParse(reference, base)) return new URL(reference, base).href;
  // A URN has no path for relative references, except for its last part.
  const besides = `${base.slice(0, base.lastIndexOf(":"))}:${reference}`;
  return URL.canParse(besides) ? besides : undefined;
}

/** Decodes a pointer from a URI's fragment. */
function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** Keywords whose members are named by the schema's author, so the names are not keywords. */
export const mapKeywords: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
]);

/** Keywords whose values are not schemas. */
export const valueKeywords: ReadonlySet<string> = new Set([
  "const",
  "enum",
  "default",
  "examples",
  "~refine",
]);

const legacyDrafts = /^https?:\/\/json-schema\.org\/draft-0[3-7]\/schema#?$/;

/**
 * Whether the schema's `$schema` is draft-07 or older: keywords next to a `$ref` are then ignored.
 */
export function isLegacySchema(schema: { readonly [key: string]: unknown }): boolean {
  return typeof schema["$schema"] === "string" && legacyDrafts.test(schema["$schema"]);
}

/**
 * The maximum depth of objects and lists. Code that compiles or applies a schema recurses at each
 * level.
 */
const maxSchemaLevels = 200;

/** Returns an error if a schema is nested too deeply to be walked, or `undefined`. */
export function schemaDepthProblem(schema: object): string | undefined {
  let level = new Set<object>([schema]);
  for (let depth = 0; depth < maxSchemaLevels; depth++) {
    const next = new Set<object>();
    for (const parent of level)
      for (const member of Object.values(parent) as readonly unknown[])
        if (typeof member === "object" && member !== null) next.add(member);
    if (next.size === 0) return undefined;
    level = next;
  }
  return `The schema is nested deeper than ${maxSchemaLevels} levels, or refers to itself. Move its inner parts to "$defs", and refer to them.`;
}
