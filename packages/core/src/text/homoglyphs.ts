/** Letters and signs that look like the Latin letters of the system's marks. */
const lookAlikes = new Map(
  Object.entries({
    a: "аαɑ",
    c: "сϲ",
    d: "ԁ",
    e: "еєεҽ3",
    g: "ɡԍ",
    i: "іιıӏ!",
    l: "ǀ|1",
    m: "м",
    n: "ոηп",
    o: "оοօ0",
    p: "рρ",
    r: "гᴦ",
    s: "ѕꜱ$5",
    t: "тτ",
    u: "υս",
    v: "νѵ",
    x: "хχ",
    y: "уγү",
  }).flatMap(([letter, others]) => Array.from(others, (other) => [other, letter] as const)),
);

/** Seen as nothing, or as a gap: spaces, marks on letters, what Markdown hides, dashes. */
const passedOver = /[\s\u0085\p{Cf}\p{M}\p{Pd}_*`~\\\u2800\u3164\uffa0\u115f\u1160]/u;
/** In one gap. More of them, and the words are no mark any more. */
const longestGap = 32;

/**
 * Reads `word` (lower case letters) at a place of a text, in whatever case, alphabet, spacing and
 * markup it stands there.
 *
 * @returns where it ends, -1 where something else stands there
 */
export function endOfWord(text: string, at: number, word: string): number {
  let index = at;
  for (const letter of word) {
    index = afterGap(text, index);
    const character = String.fromCodePoint(text.codePointAt(index) ?? 0);
    if (character !== letter && seenAs(character) !== letter) return -1;
    index += character.length;
  }
  return index;
}

/** The first place from `at` on where something can be seen. */
export function afterGap(text: string, at: number): number {
  let index = at;
  for (let gap = 0; gap < longestGap && index < text.length; gap++) {
    const character = String.fromCodePoint(text.codePointAt(index) ?? 0);
    if (!passedOver.test(character)) break;
    index += character.length;
  }
  return index;
}

/** One character as a reader takes it: wide, bold, circled and accented letters are their plain ones. */
function seenAs(character: string): string {
  const plain = character.normalize("NFKD")[0]?.toLowerCase() ?? "";
  return lookAlikes.get(plain) ?? plain;
}
