/** The size of JSON text, or the limit that it exceeds. */
export type JsonSize =
  | {
      readonly status: "measured";
      /** The number of values in the text, objects and lists included. */
      readonly values: number;
      /** The number of keys in the text, including repeated ones. */
      readonly keys: number;
    }
  | { readonly status: "too_many_values" | "too_deep" };

interface JsonLimits {
  /** The maximum number of values, objects and lists included. */
  readonly values: number;
  /** The maximum depth of nested objects and lists. */
  readonly levels: number;
}

const [quote, backslash, colon, comma] = [0x22, 0x5c, 0x3a, 0x2c] as const;
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d] as const;
const space = 0x20;

/**
 * Measures JSON text before it is parsed, because `JSON.parse` needs gigabytes of memory and a
 * minute for 60 MB of brackets. Stops at the first exceeded limit. Invalid JSON causes no error,
 * but the result is then meaningless.
 *
 * @param text in UTF-8
 */
export function measureJson(text: Uint8Array, { values: most, levels }: JsonLimits): JsonSize {
  let [values, keys, depth] = [1, 0, 0];
  /** Whether the next value is the first one of its list or object. */
  let isFirst = false;
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] ?? space;
    if (byte <= space) continue;
    if (byte === comma) values += 1;
    else if (byte === colon) keys += 1;
    else if (byte === closeList || byte === closeObject) {
      depth -= 1;
      isFirst = false;
    } else {
      if (isFirst) values += 1;
      isFirst = byte === openList || byte === openObject;
      if (isFirst && ++depth > levels) return { status: "too_deep" };
      if (byte === quote) at = endOfString(text, at);
    }
    if (values > most) return { status: "too_many_values" };
  }
  return { status: "measured", values, keys };
}

function endOfString(text: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== quote) at += text[at] === backslash ? 2 : 1;
  return at;
}
