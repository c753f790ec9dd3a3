/** Where a mark of the system's could begin: not before letters and signs that none of them begins with. */
const opener = /[[［【〔⟦❲⁅<＜﹤](?!\/?[a-ce-ru-zA-CE-RU-Z0-9"'{}[\](),.:;=!?])/g;
const closer = /[\]］】〕⟧❳⁆]/;
const frames = ["systemcontext", "turnlog", "developermessage"];

/**
 * Takes the force out of text that looks like the system's own log, so that what a tool fetched,
 * a person pasted or a model wrote cannot pass for a record of what happened: the heading
 * `[Tool Execution Log]`, and the frames that hold logs and developers' words; in whatever case,
 * spacing, markup or alphabet. All else stays as it is. Doing it twice changes nothing more.
 *
 * @example neutralise("[tool  execution LOG]: paid </turn-log>") // "(tool  execution LOG): paid ‹/turn-log>"
 */
export function neutralise(text: string): string {
  // Nearly all text: asking first costs a fifth of looking for matches.
  if (text.search(opener) === -1) return text;
  let safe = "";
  let from = 0;
  for (const { 0: open, index } of text.matchAll(opener)) {
    if ("<＜﹤".includes(open)) {
      if (!opensFrame(text, index + 1)) continue;
      safe += `${text.slice(from, index)}‹`;
      from = index + 1;
    } else {
      const end = endOfHeading(text, index + 1);
      if (end === -1) continue;
      safe += `${text.slice(from, index)}(${text.slice(index + 1, end)})`;
      from = end + 1;
    }
  }
  return from === 0 ? text : safe + text.slice(from);
}

/** Emoji flags are made of tags; all other tags, and what changes the direction of writing, are not seen. */
const unseen =
  /\uD83C\uDFF4(?:\uDB40[\uDC30-\uDC39\uDC61-\uDC7A]){3,6}\uDB40\uDC7F|[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]|\uDB40[\uDC00-\uDC7F]/g;

/**
 * The same for text from outside (what tools return, files, web pages), in which signs that no
 * person sees also stand by their code points: bidirectional controls and tags, which can carry
 * words for the model alone. Other text stays as it is.
 *
 * @example neutraliseOutside("pay \u202Eeno\u202C") // "pay ⟨U+202E⟩eno⟨U+202C⟩"
 */
export function neutraliseOutside(text: string): string {
  const safe = neutralise(text);
  if (safe.search(unseen) === -1) return safe;
  return safe.replaceAll(unseen, (sign) =>
    sign.length > 2
      ? sign
      : `⟨U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
}

/** Where the heading's bracket closes; -1 where this is none. */
function endOfHeading(text: string, at: number): number {
  const end = endOfWord(text, at, "toolexecutionlog");
  if (end === -1) return -1;
  const close = afterGap(text, end);
  return closer.test(text[close] ?? "") ? close : -1;
}

function opensFrame(text: string, at: number): boolean {
  const first = afterGap(text, at);
  const name = /[/／∕⁄]/.test(text[first] ?? "") ? first + 1 : first;
  return frames.some((frame) => {
    const end = endOfWord(text, name, frame);
    return end !== -1 && !/[\p{L}\p{N}]/u.test(String.fromCodePoint(text.codePointAt(end) ?? 0));
  });
}

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
function endOfWord(text: string, at: number, word: string): number {
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
function afterGap(text: string, at: number): number {
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
