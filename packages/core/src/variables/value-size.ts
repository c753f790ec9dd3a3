import type { JsonValue } from "../model/json.ts";

/** How deep a stored value may nest. */
export const maxDataDepth = 500;

/** UTF-8 bytes of a text, without encoding it. */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    // A pair is two units and four bytes; a lone surrogate becomes U+FFFD, three bytes.
    if (unit < 0x800 || isPairedSurrogate(text, i, unit)) bytes += 1;
    else bytes += 2;
  }
  return bytes;
}

function isPairedSurrogate(text: string, index: number, unit: number): boolean {
  if (unit < 0xd800 || unit > 0xdfff) return false;
  return unit < 0xdc00
    ? (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00
    : index > 0 && (text.charCodeAt(index - 1) & 0xfc00) === 0xd800;
}

export type DataSize =
  | { readonly status: "measured"; readonly bytes: number }
  | { readonly status: "refused"; readonly reason: string };

/**
 * About how many bytes a JSON value takes as JSON, and whether it is one: circular values,
 * functions, big integers and nesting beyond `maxDataDepth` are refused. Stops at `limit` bytes.
 */
export function dataSize(data: unknown, limit: number): DataSize {
  const ancestors = new Set<object>();
  let bytes = 0;
  let reason: string | undefined;

  function measure(value: unknown): boolean {
    if (bytes > limit) return true;
    switch (typeof value) {
      case "string":
        bytes += utf8Length(value) + 2;
        return true;
      case "number":
        bytes += 8;
        return true;
      case "boolean":
        bytes += 4;
        return true;
      case "object":
        return value === null ? ((bytes += 4), true) : measureObject(value);
      default:
        reason = `it holds a ${typeof value}, which JSON has not`;
        return false;
    }
  }

  function measureObject(value: object): boolean {
    if (ancestors.has(value)) reason = "it refers to itself";
    else if (ancestors.size >= maxDataDepth)
      reason = `it is nested deeper than ${maxDataDepth} levels`;
    if (reason !== undefined) return false;
    ancestors.add(value);
    bytes += 2;
    const entries: Iterable<readonly [string, unknown]> = Array.isArray(value)
      ? value.map((item) => ["", item] as const)
      : Object.entries(value);
    for (const [key, item] of entries) {
      bytes += key.length + 1;
      if (!measure(item)) return false;
      if (bytes > limit) break;
    }
    ancestors.delete(value);
    return true;
  }

  return measure(data)
    ? { status: "measured", bytes }
    : { status: "refused", reason: reason ?? "it is not JSON" };
}

/** A copy that shares no object with the original. `data` is JSON that has been measured. */
export function copyJson(data: JsonValue): JsonValue {
  if (typeof data !== "object" || data === null) return data;
  if (Array.isArray(data)) return data.map(copyJson);
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, copyJson(value)]));
}
