/** Returns whether a text looks like a JSON list or object, or like lines of them. */
export function looksLikeJson(text: string): boolean {
  return /^\s{0,100}[[{]/.test(text.slice(0, 200)) && /[\]}]\s{0,100}$/.test(text.slice(-200));
}

/**
 * Returns the end of the last complete element of a JSON text with `from < end <= at`: after a
 * comma, or after a line of JSON. Prefers the outermost list's element. Returns undefined if there
 * is none.
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

/**
 * Returns the start of the first complete element with `at <= start <= to`, counted from the text's
 * end.
 */
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

/** The number of rows that are examined to recognize a table. */
const sample = 5;
const sampleChars = 8_000;

/** Returns whether a text begins with rows that have the same number of fields, at least two. */
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

/** Returns whether the line at an offset is a row of a Markdown table. */
export function isInTable(text: string, at: number): boolean {
  return text.startsWith("|", text.lastIndexOf("\n", at - 1) + 1);
}

/**
 * Returns the end of the last complete row with `from < end <= at`; a line break in quotes does not
 * end a row.
 */
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

/**
 * Returns the start of the first complete row with `at <= start <= to`, counted from the text's
 * end.
 */
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

/** Returns the end of the last line with `from < end <= at`. */
export function lastLineEnd(text: string, from: number, at: number): number | undefined {
  const end = text.lastIndexOf("\n", at - 1) + 1;
  return end > from ? end : undefined;
}

/** Returns the start of the first line with `at <= start <= to`. */
export function firstLineStart(text: string, at: number, to: number): number | undefined {
  const start = text.indexOf("\n", Math.max(0, at - 1)) + 1;
  return start > 0 && start <= to ? start : undefined;
}

/** The number of code units that are examined before an offset. */
const lookBack = 8_192;
const longestGrapheme = 1_024;

let segmenter: Intl.Segmenter | undefined;

/**
 * Returns the last offset at or before `at` at which a text can be cut without splitting a visible
 * character. A single character that is longer than about a thousand code units is split between
 * surrogate pairs.
 *
 * @example graphemeBoundary("ab👩‍👩‍👧", 4) // 2
 */
export function graphemeBoundary(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  const start = pairBoundary(text, Math.max(0, at - lookBack));
  const near = segmenter.segment(text.slice(start, at + 2));
  const found = start + (near.containing(at - start)?.index ?? 0);
  return at - found <= longestGrapheme ? found : pairBoundary(text, at);
}

function pairBoundary(text: string, at: number): number {
  const splits =
    (text.charCodeAt(at) & 0xfc00) === 0xdc00 && (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;
  return splits ? at - 1 : at;
}
