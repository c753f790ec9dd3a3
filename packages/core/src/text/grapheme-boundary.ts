/** How far back a place is looked for from where the text can be split into characters. */
const lookBack = 1_024;

let segmenter: Intl.Segmenter | undefined;

/**
 * The last place at or before `at` where a text may be cut without splitting what a reader sees
 * as one character. Looks only at what is near. A single character that is longer than about a
 * thousand code units is split, between surrogate pairs.
 *
 * @example graphemeBoundary("ab👩‍👩‍👧", 4) // 2
 */
export function graphemeBoundary(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  if (isCertain(text, at)) return at;
  const start = certainBefore(text, at);
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const near = text.slice(start, at + 2);
  const found = segmenter.segment(near).containing(at - start);
  if (found !== undefined && (found.index > 0 || isCertain(text, start)))
    return start + found.index;
  return pairBoundary(text, at);
}

function certainBefore(text: string, at: number): number {
  const end = Math.max(0, at - lookBack);
  let start = at - 1;
  while (start > end && !isCertain(text, start)) start--;
  // Flags are pairs of letters: where they begin decides how they are paired.
  while (start > 0 && !isCertain(text, start) && isFlagLetter(text, start)) start--;
  return pairBoundary(text, start);
}

/** Whether a cut here splits nothing, for reasons that the two code units beside it give alone. */
function isCertain(text: string, at: number): boolean {
  return at <= 0 || (isPlain(text.charCodeAt(at - 1)) && isPlain(text.charCodeAt(at)));
}

/** Ranges of code units that join with none of their neighbours that are in these ranges, too. */
const plain: readonly (readonly [number, number])[] = [
  [0x20, 0x7e],
  [0xc0, 0x2ff],
  [0x370, 0x373],
  [0x391, 0x3ff],
  [0x400, 0x481],
  [0x48a, 0x52f],
  [0x5d0, 0x5ea],
  [0x620, 0x64a],
  [0x3041, 0x3096],
  [0x30a1, 0x30fa],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3],
];

function isPlain(unit: number): boolean {
  if (unit === 0x0a) return true;
  for (const [from, to] of plain) if (unit >= from && unit <= to) return true;
  return false;
}

/** A code unit of a regional indicator. */
function isFlagLetter(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit === 0xd83c || (unit >= 0xdde6 && unit <= 0xddff);
}

function pairBoundary(text: string, at: number): number {
  const splits =
    (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
  return splits ? at - 1 : at;
}
