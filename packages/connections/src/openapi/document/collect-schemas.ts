import { createHash } from "node:crypto";
import type { JsonSchema } from "@capstan/core";
import { DocumentProblem } from "./document-problem.ts";
import { isObject, listOf, type Node } from "./json-object.ts";
import { pointerParts, targetOf } from "./resolve-reference.ts";

/** The maximum depth of a schema. */
const mostLevels = 100;
/** The maximum length of a schema's description, in characters. */
const longestDescription = 1_000;

/**
 * Collects the schemas of a document that operations use. Each is copied once, so that operations
 * share it, and references in it lead to the copies. Cycles need no special treatment.
 */
export class SchemaCollection {
  readonly defs: { [name: string]: JsonSchema } = Object.create(null) as Record<string, JsonSchema>;
  readonly #document: Node;
  readonly #names = new Map<string, string>();
  readonly #digests = new Map<string, string>();
  readonly #problems = new Map<string, DocumentProblem>();
  readonly #references = new Map<string, readonly string[]>();
  readonly #lengths = new Map<string, number>();
  readonly #waiting: { readonly name: string; readonly target: unknown }[] = [];

  constructor(document: Node) {
    this.#document = document;
  }

  /**
   * Returns a copy of a schema without keywords that only matter to documents.
   *
   * @throws DocumentProblem
   */
  copy(schema: unknown): JsonSchema {
    const copied = this.#copy(schema, 0);
    this.#copyWaiting();
    if (copied === true) return {};
    if (!isObject(copied)) throw new DocumentProblem("a schema is not an object.");
    for (const name of this.#reachable(copied)) {
      const problem = this.#problems.get(name);
      if (problem !== undefined) throw problem;
    }
    return copied;
  }

  /** Returns the digest of a schema with all schemas that it uses. */
  digest(schema: JsonSchema): string {
    const hash = createHash("sha256").update(JSON.stringify(schema));
    for (const name of [...this.#reachable(schema)].sort()) hash.update(this.#digestOf(name));
    return hash.digest("hex");
  }

  /** Returns the length of a schema with all schemas that it uses, as JSON. */
  size(schema: JsonSchema): number {
    let size = JSON.stringify(schema).length;
    for (const name of this.#reachable(schema)) size += this.#length(name);
    return size;
  }

  #length(name: string): number {
    let length = this.#lengths.get(name);
    if (length === undefined) {
      length = JSON.stringify(this.defs[name] ?? {}).length;
      this.#lengths.set(name, length);
    }
    return length;
  }

  #digestOf(name: string): string {
    let known = this.#digests.get(name);
    if (known === undefined) {
      known = createHash("sha256")
        .update(name)
        .update(JSON.stringify(this.defs[name] ?? {}))
        .digest("hex");
      this.#digests.set(name, known);
    }
    return known;
  }

  /** The names of the schemas that a copied schema uses, directly or through others. */
  #reachable(schema: unknown): ReadonlySet<string> {
    const found = new Set<string>();
    const waiting = [...referencesOf(schema)];
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (found.has(name)) continue;
      found.add(name);
      let next = this.#references.get(name);
      if (next === undefined) {
        next = referencesOf(this.defs[name]);
        this.#references.set(name, next);
      }
      waiting.push(...next);
    }
    return found;
  }

  #copy(schema: unknown, depth: number): unknown {
    if (depth > mostLevels)
      throw new DocumentProblem(`a schema is nested deeper than ${mostLevels} levels.`);
    if (typeof schema === "boolean") return schema;
    if (!isObject(schema)) throw new DocumentProblem("a schema is not an object.");
    const copied: { [key: string]: unknown } = {};
    for (const [key, value] of Object.entries(schema)) {
      if (key === "$ref") {
        if (typeof value === "string") copied["$ref"] = `#/$defs/${this.#nameOf(value)}`;
      } else if (schemaKeys.has(key)) copied[key] = this.#copy(value, depth + 1);
      else if (listKeys.has(key) && Array.isArray(value))
        copied[key] = value.map((item) => this.#copy(item, depth + 1));
      else if (mapKeys.has(key) && isObject(value)) copied[key] = this.#copyMap(value, depth);
      else if (plainKeys.has(key)) this.#copyPlain(copied, key, value);
    }
    return normalised(copied, schema);
  }

  #copyMap(map: Node, depth: number): Node {
    return Object.fromEntries(
      Object.entries(map).map(([name, schema]) => {
        requireVisible(name);
        return [name, this.#copy(schema, depth + 1)];
      }),
    );
  }

  #copyPlain(copied: { [key: string]: unknown }, key: string, value: unknown): void {
    if (key === "description" || key === "title") {
      if (typeof value === "string") copied[key] = value.slice(0, longestDescription);
    } else if (key === "pattern") {
      if (typeof value === "string" && isPattern(value)) copied[key] = value;
    } else if (key === "enum") {
      if (Array.isArray(value) && value.length > 0) copied[key] = value.map(visibleValue);
    } else copied[key] = visibleValue(value);
  }

  /** Returns the name of the copy of a schema that a reference leads to. */
  #nameOf(reference: string): string {
    const known = this.#names.get(reference);
    if (known !== undefined) return known;
    const target = targetOf(this.#document, reference);
    const last = pointerParts(reference).at(-1) ?? "root";
    const plain = last.replaceAll(/[^\w.-]/g, "_").slice(0, 60) || "schema";
    let name = plain;
    for (let n = 2; name in this.defs; n++) name = `${plain}_${n}`;
    this.#names.set(reference, name);
    this.defs[name] = {};
    this.#waiting.push({ name, target });
    return name;
  }

  /**
   * Copies the schemas that copies refer to. A loop, because recursion along a chain could be deep.
   */
  #copyWaiting(): void {
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) {
      const { name, target } = next;
      try {
        const copied = this.#copy(target, 0);
        this.defs[name] = isObject(copied) ? copied : copied === false ? { not: {} } : {};
      } catch (thrown) {
        if (!(thrown instanceof DocumentProblem)) throw thrown;
        this.#problems.set(name, thrown);
      }
    }
  }
}

const schemaKeys = new Set([
  "items",
  "additionalProperties",
  "propertyNames",
  "contains",
  "not",
  "if",
  "then",
  "else",
  "unevaluatedProperties",
  "unevaluatedItems",
]);
const listKeys = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const mapKeys = new Set(["properties", "patternProperties", "dependentSchemas"]);
const plainKeys = new Set([
  "type",
  "title",
  "description",
  "format",
  "enum",
  "const",
  "default",
  "pattern",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minContains",
  "maxContains",
  "minProperties",
  "maxProperties",
  "required",
  "dependentRequired",
  "contentEncoding",
  "contentMediaType",
  "readOnly",
  "writeOnly",
]);

const types = new Set(["null", "boolean", "integer", "number", "string", "array", "object"]);

/** Corrects keywords of older versions, and those that validators reject. */
function normalised(copied: { [key: string]: unknown }, original: Node): Node {
  const { type, required } = copied;
  const given = Array.isArray(type) ? type : type === undefined ? [] : [type];
  const known = given.filter((one) => typeof one === "string" && types.has(one));
  const isFile = given.includes("file");
  if (original["nullable"] === true && known.length > 0 && !known.includes("null"))
    known.push("null");
  if (type !== undefined) {
    if (known.length === 0) delete copied["type"];
    else copied["type"] = known.length === 1 ? known[0] : known;
  }
  if (isFile) Object.assign(copied, { type: "string", format: "binary" });
  for (const key of ["exclusiveMinimum", "exclusiveMaximum"] as const) {
    const bound = key === "exclusiveMinimum" ? "minimum" : "maximum";
    if (copied[key] === true && typeof copied[bound] === "number") {
      copied[key] = copied[bound];
      delete copied[bound];
    } else if (typeof copied[key] !== "number") delete copied[key];
  }
  for (const key of numbers)
    if (copied[key] !== undefined && typeof copied[key] !== "number") delete copied[key];
  const values = listOf(copied["enum"]);
  if (original["nullable"] === true && values.length > 0 && !values.includes(null))
    copied["enum"] = [...values, null];
  if (required !== undefined) {
    const names = Array.isArray(required)
      ? [...new Set(required.filter((one) => typeof one === "string"))]
      : [];
    if (names.length === 0) delete copied["required"];
    else copied["required"] = names;
  }
  return copied;
}

const numbers = [
  "minimum",
  "maximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "minProperties",
  "maxProperties",
  "minContains",
  "maxContains",
] as const;

function isPattern(source: string): boolean {
  try {
    new RegExp(source, "u").test("");
    return true;
  } catch {
    return false;
  }
}

/** Characters that are invisible or that move others. */
const invisible = /[^\P{C}\t\n\r]|\p{DI}|\p{Zl}|\p{Zp}/u;

/** @throws DocumentProblem if a name contains invisible characters */
export function requireVisible(name: string): void {
  const found = invisible.exec(name)?.[0];
  if (found === undefined) return;
  const code = (found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
  throw new DocumentProblem(`a name or a value contains the invisible character U+${code}.`);
}

function visibleValue(value: unknown): unknown {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text !== undefined) requireVisible(text);
  return value;
}

function referencesOf(value: unknown): readonly string[] {
  const names: string[] = [];
  const walk = (node: unknown): void => {
    if (Array.isArray(node)) node.forEach(walk);
    else if (isObject(node))
      for (const [key, member] of Object.entries(node)) {
        if (key === "$ref" && typeof member === "string") names.push(member.slice(8));
        else walk(member);
      }
  };
  walk(value);
  return names;
}
