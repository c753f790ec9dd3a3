import { createPauses } from "../text/pauses.ts";

/** A part with its words in their indexed form. */
interface IndexedPart {
  readonly words: readonly string[];
}

/** The usual constants of BM25. */
const saturation = 1.2;
const lengthWeight = 0.75;

/**
 * Returns the parts that match the query, the most relevant first, by BM25. Many parts are read with
 * pauses.
 *
 * @example await rankByWords([{ words: ["wa"] }, { words: ["wb"] }], ["wb"]) // [{ words: ["wb"] }]
 */
export async function rankByWords<Part extends IndexedPart>(
  parts: readonly Part[],
  queryWords: readonly string[],
): Promise<readonly Part[]> {
  const query = new Set(queryWords);
  const average = parts.reduce((sum, { words }) => sum + words.length, 0) / (parts.length || 1);
  const pause = createPauses();
  const counted: { readonly part: Part; readonly counts: ReadonlyMap<string, number> }[] = [];
  for (const part of parts) {
    const counts = new Map<string, number>();
    for (const word of part.words)
      if (query.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
    if (counts.size > 0) counted.push({ part, counts });
    await pause();
  }
  const having = new Map<string, number>();
  for (const { counts } of counted)
    for (const word of counts.keys()) having.set(word, (having.get(word) ?? 0) + 1);
  const scored = counted.map(({ part, counts }) => {
    const norm = 1 - lengthWeight + (lengthWeight * part.words.length) / (average || 1);
    let score = 0;
    for (const [word, count] of counts) {
      const documents = having.get(word) ?? 0;
      const rarity = Math.log(1 + (parts.length - documents + 0.5) / (documents + 0.5));
      score += (rarity * count * (saturation + 1)) / (count + saturation * norm);
    }
    return { part, score };
  });
  return scored.toSorted((a, b) => b.score - a.score).map(({ part }) => part);
}
