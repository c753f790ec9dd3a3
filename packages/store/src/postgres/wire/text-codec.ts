/** The first character of a text that PostgreSQL cannot store; the rest is its JSON. */
const mark = "\u0001";

/**
 * Encodes a text: PostgreSQL stores neither NUL nor lone surrogates, but a title, a call's id or a
 * variable's name can contain them. JSON texts are not changed, because their special characters
 * are escaped.
 */
export function encodeText(text: string): string {
  return text.isWellFormed() && !text.includes("\0") && !text.startsWith(mark)
    ? text
    : mark + JSON.stringify(text);
}

/** Decodes a text that `encodeText` returned. */
export function decodeText(text: string): string {
  return text.startsWith(mark) ? (JSON.parse(text.slice(1)) as string) : text;
}
