import { stemmer } from "stemmer";
import { stopWords } from "./stop-words.ts";

/** The maximum length of a word, in characters. Longer ones, for example encoded data, are cut. */
const maxWordChars = 40;

/** The maximum number of characters that are read of a text. */
const maxTextChars = 4_000;

/** Scripts without spaces between words, and Hangul, whose words have many endings. */
const unspaced =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]+/gu;

/** The positions at which a name such as `getHTTPStatus2` is split into words. */
const wordBoundary =
  /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})|(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu;

/** A piece of a query or of a tool's text. */
export interface SearchWord {
  /** Lower case, without accents. */
  readonly word: string;
  /** The form that is compared: the stem of an English word. */
  readonly term: string;
}

/**
 * Returns the words of a text. Names are split at `_`, `-`, digits and capitals; their neighbouring
 * parts are words too, so that `JavaScript` has `java`, `script` and `javascript`. Texts in scripts
 * without spaces have each pair of neighbours as a word.
 *
 * @example searchWords("FetchWebPages").map(({ term }) => term) // ["fetch", "web", "fetchweb", "page", "webpage"]
 */
export function searchWords(text: string): readonly SearchWord[] {
  const words: SearchWord[] = [];
  const plain = plainText(text);
  if (isAscii(plain)) {
    for (const name of plain.match(/[A-Za-z0-9]+/g) ?? []) addName(words, name);
    return words;
  }
  for (const [run] of plain.matchAll(/[\p{L}\p{N}]+/gu)) {
    let from = 0;
    for (const match of run.matchAll(unspaced)) {
      addName(words, run.slice(from, match.index));
      for (const pair of pairs(match[0])) words.push({ word: pair, term: pair });
      from = match.index + match[0].length;
    }
    addName(words, run.slice(from));
  }
  return words;
}

/** Returns the runs of a text in scripts without spaces. */
export function unspacedRuns(text: string): readonly string[] {
  return [...plainText(text).matchAll(unspaced)].map(([run]) => run);
}

/** Returns the words of a query without stop words, or all words if there are only stop words. */
export function queryWords(query: string): readonly SearchWord[] {
  const words = searchWords(query);
  const specific = words.filter(({ word }) => !stopWords.has(word));
  return specific.length > 0 ? specific : words;
}

function plainText(text: string): string {
  const read = text.slice(0, maxTextChars);
  if (isAscii(read)) return read;
  // Normalization turns some characters into 18.
  return read
    .normalize("NFKD")
    .slice(0, maxTextChars)
    .replaceAll(/\p{M}+/gu, "")
    .normalize("NFKC")
    .replaceAll("ß", "ss");
}

/** Returns whether a text is ASCII. Most texts are, and need no normalization. */
function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

function addName(words: SearchWord[], name: string): void {
  let before = "";
  for (const part of /^[a-z]+$/.test(name) ? [name] : name.split(wordBoundary)) {
    const word = part.toLowerCase().slice(0, maxWordChars);
    if (isWord(word)) words.push({ word, term: stem(word) });
    if (before !== "") {
      const joined = (before + word).slice(0, maxWordChars);
      words.push({ word: joined, term: stem(joined) });
    }
    before = word;
  }
}

function isWord(word: string): boolean {
  return word.length > 1 || /\p{N}/u.test(word);
}

function pairs(run: string): readonly string[] {
  const characters = Array.from(run);
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

const stems = new Map<string, string>();
const maxStems = 10_000;

/** Returns the stem of an English word, and other words unchanged. */
export function stem(word: string): string {
  const known = stems.get(word);
  if (known !== undefined) return known;
  if (!/^[a-z]{3,}$/.test(word)) return word;
  if (stems.size >= maxStems) stems.clear();
  const found = stemmer(word);
  stems.set(word, found);
  return found;
}
