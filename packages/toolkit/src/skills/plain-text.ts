/**
 * Invisible characters: controls, direction marks, zero-width characters, tags and variation
 * selectors. Zero-width joiners inside emoji are allowed.
 */
const hidden =
  /(?!(?<=\p{ExtPict}\uFE0F?)(?:\u200D|\uFE0F))(?:[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}](?<![\n\t]))/gu;

/** Returns a text without its invisible characters, and their number. */
export function withoutHidden(text: string): { readonly text: string; readonly removed: number } {
  let removed = 0;
  const visible = text.replaceAll("\r\n", "\n").replaceAll(hidden, () => {
    removed++;
    return "";
  });
  return { text: visible, removed };
}

/**
 * Returns a text as one visible line for the index. The line cannot close or open a section of the
 * index.
 */
export function indexLine(text: string, most: number): string {
  const { text: visible } = withoutHidden(text.replaceAll(/\s+/g, " "));
  const line = visible.replaceAll("<", "‹").replaceAll(">", "›").trim();
  return line.length > most ? `${line.slice(0, most - 1).toWellFormed()}…` : line;
}
