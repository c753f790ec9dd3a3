/** Scripts without spaces between words, and Hangul, whose words have many endings. */
const unspaced =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]+/gu;
const word = /[\p{L}\p{N}]+/gu;

/** Longer words, for example encoded data, are truncated. */
const maxWordChars = 40;

/**
 * Returns the words of a text in the form of the full-text index, `[a-z0-9]+`. Case, accents and
 * plural endings make no difference. Texts in Chinese, Japanese, Korean or Thai have each character
 * and each pair of neighbours as words.
 *
 * @param isQuery a query has only the pairs of such texts, and the characters that have no neighbour
 * @example indexWords("Refunds") // ["wrefund"]
 */
export function indexWords(text: string, { isQuery = false } = {}): readonly string[] {
  const words: string[] = [];
  const plain = text
    .normalize("NFKD")
    .replaceAll(/\p{M}+/gu, "")
    .normalize("NFKC")
    .toLowerCase();
  for (const [run] of plain.matchAll(word)) {
    let from = 0;
    for (const match of run.matchAll(unspaced)) {
      addWord(words, run.slice(from, match.index));
      addPairs(words, Array.from(match[0]), isQuery);
      from = match.index + match[0].length;
    }
    addWord(words, run.slice(from));
  }
  return words;
}

function addWord(words: string[], text: string): void {
  if (text !== "") words.push(encode(singular(text.slice(0, maxWordChars))));
}

function addPairs(words: string[], characters: readonly string[], isQuery: boolean): void {
  for (const [index, character] of characters.entries()) {
    if (!isQuery || characters.length === 1) words.push(encode(character));
    const next = characters[index + 1];
    if (next !== undefined) words.push(encode(character + next));
  }
}

/** Removes the ending of an English plural. */
function singular(text: string): string {
  if (text.length < 4 || !/^[a-z]+s$/.test(text)) return text;
  if (text.endsWith("ies")) return /[ae]ies$/.test(text) ? text : `${text.slice(0, -3)}y`;
  if (/(?:us|ss|is)$/.test(text)) return text;
  return text.slice(0, -1);
}

/** Databases treat other letters differently, so they are encoded. */
function encode(text: string): string {
  return /^[a-z0-9]+$/.test(text) ? `w${text}` : `x${Buffer.from(text).toString("hex")}`;
}
