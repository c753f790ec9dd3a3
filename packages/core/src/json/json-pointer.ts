import { describeType, isList, isObject } from "./json-value.ts";
import type { JsonValue } from "../base/json.ts";

/** The value at a pointer, or the part of the pointer that does not exist. */
export type PointerOutcome =
  | { readonly status: "found"; readonly value: JsonValue }
  /** `at` is the last existing part of the path; `has` describes the value there. */
  | {
      readonly status: "missing";
      readonly at: string;
      readonly has: string;
      readonly keys: readonly string[];
    };

const arrayIndex = /^(0|[1-9]\d*)$/;

/**
 * Reads `/a/0/b` (RFC 6901) from a JSON value; finds own properties only.
 *
 * @example readPointer({ a: [1, 2] }, "/a/1") // { status: "found", value: 2 }
 */
export function readPointer(data: JsonValue, pointer: string): PointerOutcome {
  let value = data;
  let at = "";
  for (const part of pointer === "" ? [] : pointer.slice(1).split("/")) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    const next = child(value, key);
    if (next === undefined) return { status: "missing", at, ...contents(value) };
    value = next;
    at += `/${part}`;
  }
  return { status: "found", value };
}

/**
 * Describes the missing part of a pointer into a named value, and the existing value
 * before it.
 *
 * @example missingInValue("Fetch_2", "/items/9", outcome) // "/items/9 does not exist in Fetch_2: Fetch_2#/items is a list of 3."
 */
export function missingInValue(
  name: string,
  pointer: string,
  { at, has, keys }: PointerOutcome & { readonly status: "missing" },
): string {
  const where = at === "" ? name : `${name}#${at}`;
  const known = keys.slice(0, 20).join(", ");
  return `${pointer} does not exist in ${name}: ${where} is ${has}${known === "" ? "" : ` with the keys ${known}`}.`;
}

/** Escapes a key for use in a pointer: `a/b` → `a~1b`. */
export function pointerPart(key: string | number): string {
  return String(key).replaceAll("~", "~0").replaceAll("/", "~1");
}

function child(value: JsonValue, key: string): JsonValue | undefined {
  if (isList(value)) return arrayIndex.test(key) ? value[Number(key)] : undefined;
  return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

function contents(value: JsonValue): { has: string; keys: readonly string[] } {
  if (isList(value)) return { has: `a list of ${value.length}`, keys: [] };
  if (isObject(value)) return { has: "an object", keys: Object.keys(value) };
  return { has: describeType(value), keys: [] };
}
