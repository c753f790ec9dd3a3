/**
 * Characters that a reader does not see: controls, direction marks, zero-width characters, tags and
 * variation selectors. A zero-width joiner inside an emoji is kept.
 */
const hidden =
  /(?!(?<=\p{ExtPict}\uFE0F?)(?:\u200D|\uFE0F))(?:[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{DI}](?<![\n\t]))/gu;

/** Returns a text without characters that a reader does not see, and their number. */
export function withoutHidden(text: string): { readonly text: string; readonly removed: number } {
  let removed = 0;
  const visible = text.replaceAll("\r\n", "\n").replaceAll(hidden, () => {
    removed++;
    return "";
  });
  return { text: visible, removed };
}

/** Returns a text as one visible line for an index, which cannot close or open a section of it. */
export function indexLine(text: string, most: number): string {
  const { text: visible } = withoutHidden(text.replaceAll(/\s+/g, " "));
  const line = visible.replaceAll("<", "‹").replaceAll(">", "›").trim();
  return line.length > most ? `${line.slice(0, most - 1).toWellFormed()}…` : line;
}
