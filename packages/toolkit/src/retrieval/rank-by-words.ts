import type { WordHashes } from "./hash-words.ts";
import { hashWord } from "./hash-words.ts";

/** A part that contains words of the query. */
interface MatchedPart<Part> {
  readonly part: Part;
  /** The number of its words. */
  readonly length: number;
  /** The number of occurrences of each query word that it contains. */
  readonly counts: ReadonlyMap<string, number>;
}

/** The usual constants of BM25. */
const saturation = 1.2;
const lengthWeight = 0.75;

/**
 * Ranks parts by BM25. Stores only matching parts.
 *
 * @example
 * const ranking = new WordRanking<string>(["wa"]);
 * ranking.add("first", new Uint32Array([1, 2]));
 * ranking.ranked(); // [{ part: "first", words: new Set(["wa"]) }]
 */
export class WordRanking<Part> {
  readonly #query: ReadonlyMap<number, string>;
  readonly #matched: MatchedPart<Part>[] = [];
  #parts = 0;
  #words = 0;

  constructor(queryWords: readonly string[]) {
    this.#query = new Map(queryWords.map((word) => [hashWord(word), word]));
  }

  /** Adds a part with its words. */
  add(part: Part, words: WordHashes): void {
    this.#parts += 1;
    this.#words += words.length;
    const counts = new Map<string, number>();
    for (const hash of words) {
      const word = this.#query.get(hash);
      if (word !== undefined) counts.set(word, (counts.get(word) ?? 0) + 1);
    }
    if (counts.size > 0) this.#matched.push({ part, length: words.length, counts });
  }

  /** Returns the parts that match the query, the most relevant first, with the words that match. */
  ranked(): readonly { readonly part: Part; readonly words: ReadonlySet<string> }[] {
    const average = this.#words / (this.#parts || 1);
    const having = new Map<string, number>();
    for (const { counts } of this.#matched)
      for (const word of counts.keys()) having.set(word, (having.get(word) ?? 0) + 1);
    const scored = this.#matched.map(({ part, length, counts }) => {
      const norm = 1 - lengthWeight + (lengthWeight * length) / (average || 1);
      let score = 0;
      for (const [word, count] of counts) {
        const documents = having.get(word) ?? 0;
        const rarity = Math.log(1 + (this.#parts - documents + 0.5) / (documents + 0.5));
        score += (rarity * count * (saturation + 1)) / (count + saturation * norm);
      }
      return { part, words: new Set(counts.keys()), score };
    });
    return scored.toSorted((a, b) => b.score - a.score);
  }
}
