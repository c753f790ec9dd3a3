import type { JsonObject, JsonValue } from "../base/json.ts";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { CapstanError } from "../base/errors.ts";

/** Sets of JSON types as bits; an integer has two. */
export const jsonTypes = {
  null: 1,
  boolean: 2,
  integer: 4,
  fraction: 8,
  number: 12,
  string: 16,
  array: 32,
  object: 64,
  any: 127,
} as const;

/** Returns the type of a value, or 0 if JSON does not have it. */
export function typeOf(value: unknown): number {
  switch (typeof value) {
    case "string":
      return jsonTypes.string;
    case "number":
      return Number.isInteger(value) ? jsonTypes.integer : jsonTypes.fraction;
    case "boolean":
      return jsonTypes.boolean;
    case "object":
      if (value === null) return jsonTypes.null;
      return Array.isArray(value) ? jsonTypes.array : jsonTypes.object;
    default:
      return 0;
  }
}

/** Returns the bits of a schema's `type` keyword; all bits if it is absent. */
export function typesNamed(type: unknown): number {
  if (typeof type === "string") {
    return Object.hasOwn(jsonTypes, type) ? jsonTypes[type as keyof typeof jsonTypes] : 0;
  }
  return Array.isArray(type)
    ? type.reduce<number>((types, one) => types | typesNamed(one), 0)
    : jsonTypes.any;
}

const words: { readonly [type: number]: string } = {
  [jsonTypes.null]: "null",
  [jsonTypes.boolean]: "a boolean",
  [jsonTypes.integer]: "a whole number",
  [jsonTypes.fraction]: "a number",
  [jsonTypes.string]: "text",
  [jsonTypes.array]: "a list",
  [jsonTypes.object]: "an object",
};

/** Describes the type of a value for users and models: `a number`, `text`. */
export function describeType(value: unknown): string {
  return words[typeOf(value)] ?? `a ${typeof value}`;
}

/** Returns whether a value is a list. */
export function isList(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Returns whether a value is an object, but not null or a list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the number of values in a value, or at least `most` if there are more. */
export function countValues(value: unknown, most: number): number {
  const open: unknown[] = [value];
  let count = 0;
  while (open.length > 0 && count < most) {
    const one = open.pop();
    count += 1;
    if (typeof one === "object" && one !== null)
      for (const member of Object.values(one)) open.push(member);
  }
  return count;
}

/** Returns a copy of JSON that shares nothing with the original, so the receiver may change it. */
export function copyJson<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(copyJson) as T;
  const given = value as Record<string, unknown>;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(given)) {
    const member = copyJson(given[key]);
    // Assigning `__proto__` would set the copy's prototype.
    if (key === "__proto__") Object.defineProperty(copy, key, { ...plain, value: member });
    else copy[key] = member;
  }
  return copy as T;
}

const plain = { enumerable: true, configurable: true, writable: true };

/** Returns a deeply frozen copy of JSON, so that approved arguments cannot change. */
export function frozenJson<T>(value: T): T {
  return freeze(copyJson(value));
}

function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const member of Object.values(value)) freeze(member);
  return Object.freeze(value);
}

/**
 * Returns the type and position of the first value in `value` that JSON turns into `{}` or null: a
 * Map, a promise that was not awaited, an instance that contains bytes, `NaN` or an infinity.
 * Returns undefined if there is none.
 *
 * @param json the value as JSON; the search runs only if it can find anything
 * @returns a text such as `a Map at /rows/0`
 */
export function lostInJson(value: unknown, json: string): string | undefined {
  return json.includes("{}") || json.includes("null") ? find(value, "") : undefined;
}

function find(value: unknown, path: string): string | undefined {
  const place = path === "" ? "" : ` at ${path}`;
  // JSON would have null in its place.
  if (typeof value === "number" && !Number.isFinite(value)) return `the number ${value}${place}`;
  if (typeof value !== "object" || value === null) return undefined;
  if ("toJSON" in value && typeof value.toJSON === "function") return undefined;
  const entries = Object.entries(value);
  if (entries.length === 0 && !isPlain(value)) return `a ${nameOf(value)}${place}`;
  for (const [key, member] of entries) {
    const lost = find(member, `${path}/${key}`);
    if (lost !== undefined) return lost;
  }
  return undefined;
}

/** Whether a value is a list, or an object without a class, of any realm. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null;
}

function nameOf(value: object): string {
  const tag = Object.prototype.toString.call(value).slice("[object ".length, -1);
  return tag === "Object" ? value.constructor.name : tag;
}

const maxDepth = 1000;

/**
 * Returns JSON with sorted keys and no white space (RFC 8785), so that equal values have equal
 * text. Values that JSON omits (undefined, functions) are omitted; a big integer becomes its
 * digits.
 *
 * @throws CapstanError `not_json` for a value that refers to itself or nests beyond 1,000 levels
 * @example canonicalJson({ b: 1, a: [true] }) // '{"a":[true],"b":1}'
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0) ?? "null";
}

/**
 * Returns the SHA-256 of the canonical JSON, as 64 hex characters.
 *
 * @throws CapstanError `not_json`, like `canonicalJson`
 */
export function digest(value: unknown): string {
  return bytesToHex(sha256(utf8ToBytes(canonicalJson(value))));
}

function write(value: unknown, depth: number): string | undefined {
  switch (typeof value) {
    case "string":
    case "number":
    case "boolean":
      return JSON.stringify(value);
    case "bigint":
      return value.toString();
    case "object":
      return value === null ? "null" : writeObject(value, depth);
    default:
      return undefined;
  }
}

function writeObject(value: object, depth: number): string | undefined {
  if (depth >= maxDepth) {
    throw new CapstanError({
      code: "not_json",
      message: `A value refers to itself or is nested deeper than ${maxDepth} levels, so it has no JSON form.`,
    });
  }
  if (hasToJson(value)) return write(value.toJSON(""), depth + 1);
  if (Array.isArray(value))
    return `[${value.map((item) => write(item, depth + 1) ?? "null").join(",")}]`;
  let text = "";
  for (const key of Object.keys(value).sort()) {
    const member = write((value as { readonly [key: string]: unknown })[key], depth + 1);
    if (member !== undefined) text += `${text === "" ? "" : ","}${JSON.stringify(key)}:${member}`;
  }
  return `{${text}}`;
}

function hasToJson(value: object): value is { toJSON(key: string): unknown } {
  return "toJSON" in value && typeof value.toJSON === "function";
}

/** Counts the keys of all objects in a value that is not deeply nested. */
export function countKeys(value: JsonValue): number {
  if (isList(value)) return value.reduce<number>((sum, item) => sum + countKeys(item), 0);
  if (!isObject(value)) return 0;
  const members = Object.values(value);
  return members.reduce<number>((sum, member) => sum + countKeys(member), members.length);
}
