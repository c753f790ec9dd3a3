/** How deep a stored value may nest. */
export const maxDataDepth = 500;

/** Characters that are encoded at once to be counted; each takes three bytes at most. */
const chunkLength = 16 * 1024;
const encoder = new TextEncoder();
const scratch = new Uint8Array(3 * chunkLength);

/** Below this, looking at the characters is quicker than asking the encoder. */
const shortText = 64;

/** UTF-8 bytes of a text. A lone surrogate counts as U+FFFD, as encoders write it. */
export function utf8Length(text: string): number {
  if (text.length <= shortText && isAscii(text)) return text.length;
  if (text.length <= chunkLength) return encoder.encodeInto(text, scratch).written;
  let bytes = 0;
  for (let at = 0; at < text.length;) {
    const chunk = text.slice(at, at + chunkLength);
    const endsInPair =
      at + chunkLength < text.length && (chunk.charCodeAt(chunk.length - 1) & 0xfc00) === 0xd800;
    // The first half of a pair is left to the next chunk.
    const whole = endsInPair ? chunk.slice(0, -1) : chunk;
    bytes += encoder.encodeInto(whole, scratch).written;
    at += whole.length;
  }
  return bytes;
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false;
  return true;
}

export type DataSize =
  | { readonly status: "measured"; readonly bytes: number }
  | { readonly status: "refused"; readonly reason: string };

/**
 * About how many bytes a JSON value takes as JSON, and whether it is one: circular values,
 * functions, big integers and nesting beyond `maxDataDepth` are refused. Stops at `limit` bytes.
 */
export function dataSize(data: unknown, limit: number): DataSize {
  const flat = flatSize(data);
  if (flat !== undefined) return { status: "measured", bytes: flat };
  /** The objects around the one that is measured, from the second level on. */
  let ancestors: Set<object> | undefined;
  let bytes = 0;
  let reason: string | undefined;

  function measure(value: unknown): boolean {
    if (bytes > limit) return true;
    const plain = plainSize(value);
    if (plain === undefined && typeof value === "object") return measureObject(value as object);
    if (plain === undefined) reason = `it holds a ${typeof value}, which JSON has not`;
    else bytes += plain;
    return plain !== undefined;
  }

  function measureObject(value: object): boolean {
    if (value === data && bytes > 0) reason = "it refers to itself";
    else if (value !== data) {
      ancestors ??= new Set();
      if (ancestors.has(value)) reason = "it refers to itself";
      else if (ancestors.size >= maxDataDepth - 1)
        reason = `it is nested deeper than ${maxDataDepth} levels`;
      ancestors.add(value);
    }
    if (reason !== undefined) return false;
    bytes += 2;
    for (const key of Array.isArray(value) ? value.keys() : Object.keys(value)) {
      bytes += typeof key === "number" ? 1 : key.length + 1;
      if (!measure((value as Record<string | number, unknown>)[key])) return false;
      if (bytes > limit) break;
    }
    ancestors?.delete(value);
    return true;
  }

  return measure(data)
    ? { status: "measured", bytes }
    : { status: "refused", reason: reason ?? "it is not JSON" };
}

/** An object of plain values, as most arguments are; undefined for all else. */
function flatSize(data: unknown): number | undefined {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return undefined;
  let bytes = 2;
  for (const key of Object.keys(data)) {
    const size = plainSize((data as Record<string, unknown>)[key]);
    if (size === undefined) return undefined;
    bytes += key.length + 1 + size;
  }
  return bytes;
}

/** Undefined for what holds others, and for what JSON has not. */
function plainSize(value: unknown): number | undefined {
  switch (typeof value) {
    case "string":
      return utf8Length(value) + 2;
    case "number":
      return 8;
    case "boolean":
      return 4;
    default:
      return value === null ? 4 : undefined;
  }
}
