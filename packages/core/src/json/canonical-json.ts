import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { CapstanError } from "../base/errors.ts";

const maxDepth = 1000;

/**
 * JSON with sorted keys and no white space (RFC 8785), so that equal values have equal text.
 * What JSON leaves out (undefined, functions) is left out; a big integer is its digits.
 *
 * @throws CapstanError `not_json` for a value that refers to itself or nests beyond 1,000 levels
 * @example canonicalJson({ b: 1, a: [true] }) // '{"a":[true],"b":1}'
 */
export function canonicalJson(value: unknown): string {
  return write(value, 0) ?? "null";
}

/**
 * SHA-256 of the canonical JSON, as 64 hex characters.
 *
 * @throws CapstanError `not_json`, as `canonicalJson`
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
