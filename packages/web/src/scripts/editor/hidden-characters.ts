/**
 * What is not seen, or moves what is: control characters, marks of writing direction, of no width,
 * tags, variants; and a carriage return alone, which ends a line for Python and for no browser.
 */
const hidden = /\r(?!\n)|[^\P{C}\t\n\r\p{Co}\p{Cn}]|[\p{Zl}\p{Zp}\p{DI}]/gu;

/**
 * A text in which nothing is hidden from who approves it.
 *
 * @example withHiddenShown("a\u202Eb") // "a⟨U+202E⟩b"
 */
export function withHiddenShown(text: string): string {
  return text.replace(hidden, (character) => {
    const number = character.codePointAt(0) ?? 0;
    return `⟨U+${number.toString(16).toUpperCase().padStart(4, "0")}⟩`;
  });
}
