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
