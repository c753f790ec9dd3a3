import { stem } from "./search-words.ts";
import { synonymTable } from "./synonym-table.ts";

/** The English words of a line of the table. */
type Meaning = readonly string[];

interface Synonyms {
  /** By the stem of an English word. */
  readonly english: ReadonlyMap<string, readonly Meaning[]>;
  /** By word of another language. */
  readonly others: ReadonlyMap<string, readonly Meaning[]>;
  /** The length of the longest word in a script without spaces. */
  readonly longest: number;
}

let table: Synonyms | undefined;

function readTable(): Synonyms {
  if (table !== undefined) return table;
  const english = new Map<string, Meaning[]>();
  const others = new Map<string, Meaning[]>();
  const add = (map: Map<string, Meaning[]>, word: string, meaning: Meaning): void => {
    map.set(word, [...(map.get(word) ?? []), meaning]);
  };
  let longest = 1;
  for (const line of synonymTable.trim().split("\n")) {
    const [own = [], ...foreign] = line.split("|").map((part) => part.trim().split(" "));
    for (const word of own) add(english, stem(word), own);
    for (const word of foreign.flat().filter((each) => each !== "")) {
      add(others, word, own);
      longest = Math.max(longest, Array.from(word).length);
    }
  }
  return (table = { english, others, longest });
}

/** The minimum length of a German word that also gives its meaning to longer words. */
const minPrefix = 5;

/**
 * Returns the English synonyms of a word, or the English words for one of another language.
 *
 * @param options.isKnown whether tools have the word; then it is not read as another language
 */
export function synonymsOf(
  word: string,
  { isKnown }: { readonly isKnown: boolean },
): { readonly words: readonly string[]; readonly isTranslation: boolean } {
  const { english, others } = readTable();
  const own = english.get(stem(word));
  if (own !== undefined || isKnown) return { words: distinct(own), isTranslation: false };
  for (let end = word.length; end >= Math.min(minPrefix, word.length); end--) {
    const meanings = others.get(word.slice(0, end));
    if (meanings !== undefined) return { words: distinct(meanings), isTranslation: true };
  }
  return { words: [], isTranslation: false };
}

/**
 * Returns the known words of a text in a script without spaces, the longest ones, with the English
 * words for them.
 */
export function synonymsInRun(
  run: string,
): readonly { readonly word: string; readonly words: readonly string[] }[] {
  const { others, longest } = readTable();
  const found: { readonly word: string; readonly words: readonly string[] }[] = [];
  const characters = Array.from(run);
  for (let start = 0; start < characters.length;) {
    let length = Math.min(longest, characters.length - start);
    while (length > 0 && !others.has(characters.slice(start, start + length).join(""))) length--;
    if (length > 0) {
      const word = characters.slice(start, start + length).join("");
      found.push({ word, words: distinct(others.get(word)) });
    }
    start += Math.max(1, length);
  }
  return found;
}

function distinct(meanings: readonly Meaning[] = []): readonly string[] {
  return [...new Set(meanings.flat())];
}
