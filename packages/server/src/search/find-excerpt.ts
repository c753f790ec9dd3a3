/** A part of a text, with the positions of the words that a search looked for. */
export interface Excerpt {
  readonly text: string;
  /** Start and end of each match, in UTF-16 code units of `text`. */
  readonly matches: readonly (readonly [number, number])[];
}

/** The words and the phrase that a search looks for. */
export interface Wanted {
  /** Returns whether the search looks for a word. */
  readonly isWanted: (word: string) => boolean;
  /** The query in lower case. */
  readonly phrase: string;
}

/** The maximum UTF-16 code units before the first match, and in the whole excerpt. */
const lead = 40;
const excerptLength = 200;

/** Returns the part of a text around the first match of a query, or undefined if there is none. */
export function findExcerpt(text: string, { isWanted, phrase }: Wanted): Excerpt | undefined {
  const positions = positionsOfPhrase(text, phrase);
  const all = positions.length > 0 ? positions : positionsOfWords(text, isWanted);
  const [first] = all;
  if (first === undefined) return undefined;
  const start = wordStart(text, Math.max(0, first[0] - lead));
  const cut = text.slice(start, start + excerptLength).toWellFormed();
  const [before, after] = [start > 0 ? "…" : "", start + excerptLength < text.length ? "…" : ""];
  const shift = before.length - start;
  return {
    text: `${before}${cut}${after}`,
    matches: all
      .filter(([, end]) => end <= start + excerptLength)
      .map(([from, to]) => [from + shift, to + shift] as const),
  };
}

/** The maximum number of matches that an excerpt marks. */
const maxMatches = 20;

function positionsOfPhrase(text: string, phrase: string): readonly (readonly [number, number])[] {
  const lower = text.toLowerCase();
  // The length of some letters depends on their case, which would shift the positions after them.
  if (phrase === "" || lower.length !== text.length) return [];
  const positions: [number, number][] = [];
  for (let at = lower.indexOf(phrase); at !== -1 && positions.length < maxMatches;) {
    positions.push([at, at + phrase.length]);
    at = lower.indexOf(phrase, at + phrase.length);
  }
  return positions;
}

function positionsOfWords(
  text: string,
  isWanted: Wanted["isWanted"],
): readonly (readonly [number, number])[] {
  const positions: [number, number][] = [];
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    if (positions.length === maxMatches) break;
    if (isWanted(word)) positions.push([index, index + word.length]);
  }
  return positions;
}

/** Returns the start of the next word, so that an excerpt does not begin inside one. */
function wordStart(text: string, from: number): number {
  if (from === 0) return 0;
  const space = text.slice(from, from + lead).search(/\s\S/);
  return space === -1 ? from : from + space + 1;
}
