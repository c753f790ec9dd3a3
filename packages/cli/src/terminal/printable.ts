import { visibleText } from "@capstan/core/text";

// Text of a model or a tool must not control the terminal: an escape sequence could repaint a
// prompt, or set the clipboard.

/**
 * Makes the control characters in a text visible, except line feeds and tabs. Works on chunks of a
 * stream.
 */
export function printable(text: string): string {
  return text.replaceAll("\r", "").replaceAll(unprintable, visible);
}

/** Returns a text in one line, with all hidden characters visible: a line feed is shown as `↵`. */
export function printableLine(text: string): string {
  return visibleText(text).replaceAll(/\r?\n/g, "↵").replaceAll("\t", " ");
}

// C0 and C1 without tab and line feed, and the characters that change the writing direction.
// oxlint-disable-next-line no-control-regex -- the pattern matches control characters
const unprintable = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g;

function visible(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(0x24_00 + code);
  return code === 0x7f ? "␡" : `‹U+${code.toString(16).toUpperCase().padStart(4, "0")}›`;
}
