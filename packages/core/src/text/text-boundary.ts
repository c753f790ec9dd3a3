/** Whether a text looks like a JSON list or object, or like lines of them. */
export function looksLikeJson(text: string): boolean {
  return /^\s{0,100}[[{]/.test(text.slice(0, 200)) && /[\]}]\s{0,100}$/.test(text.slice(-200));
}

/**
 * The end of the last whole element of a JSON text with `from < end <= at`: behind a comma, or
 * behind a line of JSON. Of several the outermost list's, or undefined where there is none.
 */
export function lastElementEnd(text: string, from: number, at: number): number | undefined {
  const ends: (number | undefined)[] = [];
  let depth = 0;
  let inString = false;
  for (let i = 0; i < at; i++) {
    const char = text[i];
    if (inString) {
      if (char === "\\") i++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "[" || char === "{") depth++;
    else if (char === "]" || char === "}") depth--;
    else if (i >= from && endsElement(char, depth)) ends[depth] = i + 1;
    if (depth < 0) return undefined;
  }
  return outermost(ends);
}

/** The start of the first whole element with `at <= start <= to`, counted from the text's end. */
export function firstElementStart(text: string, at: number, to: number): number | undefined {
  const starts: (number | undefined)[] = [];
  let depth = 0;
  let inString = false;
  for (let i = text.length - 1; i >= at - 1 && i >= 0; i--) {
    const char = text[i];
    if (char === '"' && !isEscaped(text, i)) inString = !inString;
    else if (inString) continue;
    else if (char === "]" || char === "}") depth++;
    else if (char === "[" || char === "{") depth--;
    else if (i < to && endsElement(char, depth)) starts[depth] = i + 1;
    if (depth < 0) return undefined;
  }
  return outermost(starts);
}

function endsElement(char: string | undefined, depth: number): boolean {
  return depth === 0 ? char === "\n" : char === ",";
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text[at - 1 - backslashes] === "\\") backslashes++;
  return backslashes % 2 === 1;
}

function outermost(places: readonly (number | undefined)[]): number | undefined {
  return places.find((place) => place !== undefined);
}

/** Rows that are looked at to tell a table. */
const sample = 5;
const sampleChars = 8_000;

/** Whether a text begins with rows that have the same number of fields, and more than one. */
export function looksLikeRows(text: string): boolean {
  const unquoted = text.slice(0, sampleChars).replaceAll(/"[^"]*"/g, "");
  const [whole = ""] = unquoted.split('"', 1);
  const lines = whole.split("\n").slice(0, -1).slice(0, sample);
  if (lines.length < 3) return false;
  return [",", ";", "\t"].some((delimiter) => {
    const fields = lines.map((line) => line.split(delimiter).length);
    return fields.every((count) => count > 1 && count === fields[0]);
  });
}

/** Whether the line that holds a place is a row of a Markdown table. */
export function isInTable(text: string, at: number): boolean {
  return text.startsWith("|", text.lastIndexOf("\n", at - 1) + 1);
}

/** The end of the last whole row with `from < end <= at`; a line's end in quotes ends no row. */
export function lastRowEnd(text: string, from: number, at: number): number | undefined {
  let end: number | undefined;
  let inQuotes = false;
  for (let i = 0; i < at; i++) {
    const char = text[i];
    if (char === '"') inQuotes = !inQuotes;
    else if (char === "\n" && !inQuotes && i >= from) end = i + 1;
  }
  return end;
}

/** The start of the first whole row with `at <= start <= to`, counted from the text's end. */
export function firstRowStart(text: string, at: number, to: number): number | undefined {
  let start: number | undefined;
  let inQuotes = false;
  for (let i = text.length - 1; i >= at - 1 && i >= 0; i--) {
    const char = text[i];
    if (char === '"') inQuotes = !inQuotes;
    else if (char === "\n" && !inQuotes && i < to) start = i + 1;
  }
  return start;
}

/** The end of the last line with `from < end <= at`. */
export function lastLineEnd(text: string, from: number, at: number): number | undefined {
  const end = text.lastIndexOf("\n", at - 1) + 1;
  return end > from ? end : undefined;
}

/** The start of the first line with `at <= start <= to`. */
export function firstLineStart(text: string, at: number, to: number): number | undefined {
  const start = text.indexOf("\n", Math.max(0, at - 1)) + 1;
  return start > 0 && start <= to ? start : undefined;
}

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
