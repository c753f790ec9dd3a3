/** What stands where words were taken out. */
const mark = "[redacted]";

/**
 * What is left of a text once these words are out, wherever they stand, each within another or
 * overlapping it, too.
 *
 * @example redact("tulip, tulips", ["tulip"]) // "[redacted], [redacted]s"
 */
export function redact(text: string, words: readonly string[]): string {
  let left = "";
  let end = 0;
  for (const range of covered(text, words)) {
    left += text.slice(end, range.start) + mark;
    end = range.end;
  }
  return left + text.slice(end);
}

interface Range {
  readonly start: number;
  end: number;
}

/** The pieces that words stand in, in order; what overlaps or touches is one. */
function covered(text: string, words: readonly string[]): readonly Range[] {
  const found: Range[] = [];
  for (const word of words) {
    if (word === "") continue;
    for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
      const last = found.at(-1);
      // A word that overlaps itself would else be noted at every character.
      if (last !== undefined && last.start <= at && at <= last.end)
        last.end = Math.max(last.end, at + word.length);
      else found.push({ start: at, end: at + word.length });
    }
  }
  const merged: Range[] = [];
  for (const range of found.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last !== undefined && range.start <= last.end) last.end = Math.max(last.end, range.end);
    else merged.push({ ...range });
  }
  return merged;
}
