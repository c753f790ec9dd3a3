/** A text that PostgreSQL cannot keep begins with this, and goes on as JSON. */
const mark = "\u0001";

/**
 * PostgreSQL keeps no NUL, and UTF-8 no lone surrogate; a title, a call's id or a variable's name
 * may have either. JSON texts never change: their escapes are plain.
 */
export function encodeText(text: string): string {
  return text.isWellFormed() && !text.includes("\0") && !text.startsWith(mark)
    ? text
    : mark + JSON.stringify(text);
}

export function decodeText(text: string): string {
  return text.startsWith(mark) ? (JSON.parse(text.slice(1)) as string) : text;
}
