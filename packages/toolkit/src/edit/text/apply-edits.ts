import { FileError } from "../../files/file-error.ts";
import { countOf, formatBytes } from "../../text/format-bytes.ts";
import { indented, nearestLines, numberedLines, TextLines } from "./find-text.ts";
import { largestEdit } from "./text-content.ts";

/** One SEARCH/REPLACE block. */
export interface Edit {
  readonly search: string;
  readonly replace: string;
  /** Whether every occurrence is replaced. @default false: there must be exactly one */
  readonly all?: boolean | undefined;
}

/** A text after all edits. */
export interface EditedText extends Pick<FoundEdits, "lines"> {
  readonly text: string;
}

/** The replacements of all edits, in ascending order. */
export interface FoundEdits {
  readonly replacements: readonly Replacement[];
  /** The number of the first line of each replaced text, from 1. */
  readonly lines: readonly number[];
}

/** A replacement of the characters from `start` to `end` of a text. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

/** The maximum number of replacements in one call. */
const mostPlaces = 100_000;

/** A replacement in the text with `\n` as line end. */
interface Match extends Replacement {
  /** The number of its edit, from 1. */
  readonly edit: number;
}

/**
 * Applies all edits to a text, or none.
 *
 * @param text with the line ends of the file
 * @throws FileError like `findEdits`
 */
export function applyEdits(text: string, edits: readonly Edit[]): EditedText {
  const { replacements, lines } = findEdits(text, edits);
  return { text: applyReplacements(text, replacements), lines };
}

/**
 * Finds the matches of all edits in a text. Their order does not matter. The search and the
 * replacement use the line ends of the text.
 *
 * @param text with the line ends of the file
 * @throws FileError `no_match`, `ambiguous_match`, `overlapping_edits` or `empty_search`
 */
export function findEdits(text: string, edits: readonly Edit[]): FoundEdits {
  const eol = lineEnd(text);
  const source = new Source(text.replaceAll("\r\n", "\n"));
  const position = positionsIn(text);
  const unsorted: Match[] = [];
  for (const [index, edit] of edits.entries()) {
    const prefix = edits.length === 1 ? "" : `Edit ${index + 1}: `;
    for (const one of source.find(edit, prefix, index + 1)) unsorted.push(one);
    if (unsorted.length > mostPlaces)
      throw new FileError(
        "too_many_matches",
        `The edits have more than ${mostPlaces} matches. Search for longer texts.`,
      );
  }
  const matches = unsorted.toSorted((a, b) => a.start - b.start);
  const added = matches.reduce((sum, { by }) => sum + by.length, 0);
  if (added > largestEdit)
    throw new FileError(
      "too_large",
      `The replacements have more than ${formatBytes(largestEdit)}. Nothing was changed.`,
    );
  const replacements: Replacement[] = [];
  let last: Match | undefined;
  for (const one of matches) {
    if (last !== undefined && one.start < last.end)
      throw new FileError(
        "overlapping_edits",
        `Edits ${last.edit} and ${one.edit} change the same lines (${source.lineAt(one.start)}). Put both into one edit.`,
      );
    const by = eol === "\n" ? one.by : one.by.replaceAll("\n", eol);
    replacements.push({ start: position(one.start), end: position(one.end), by });
    last = one;
  }
  return { replacements, lines: source.linesAt(matches.map(({ start }) => start)) };
}

/** Returns a text after replacements, which must be in ascending order. */
export function applyReplacements(text: string, replacements: readonly Replacement[]): string {
  let at = 0;
  const parts: string[] = [];
  for (const { start, end, by } of replacements) {
    parts.push(text.slice(at, start), by);
    at = end;
  }
  return parts.join("") + text.slice(at);
}

/** Returns the most frequent line end of a text. */
export function lineEnd(text: string): "\n" | "\r\n" {
  const windows = occurrences(text, "\r\n");
  return windows > 0 && windows * 2 > occurrences(text, "\n") ? "\r\n" : "\n";
}

function occurrences(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++;
  return count;
}

/**
 * Returns a function that converts a position in the text with `\n` as line end to a position in
 * the original text. Positions must be passed in ascending order.
 */
function positionsIn(text: string): (plain: number) => number {
  let skipped = 0;
  let next = text.indexOf("\r\n");
  return (plain) => {
    while (next >= 0 && next - skipped < plain) {
      skipped++;
      next = text.indexOf("\r\n", next + 2);
    }
    return plain + skipped;
  };
}

/** The original text, with `\n` as line end. */
class Source {
  readonly #text: string;
  #lines: TextLines | undefined;
  #starts: readonly number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** @param prefix names the edit in errors */
  find(edit: Edit, prefix: string, number: number): readonly Match[] {
    const search = edit.search.replaceAll("\r\n", "\n");
    const by = edit.replace.replaceAll("\r\n", "\n");
    if (search === "")
      throw new FileError(
        "empty_search",
        `${prefix}"search" is empty. Give the lines to replace; WriteFile replaces a whole file.`,
      );
    const exact = this.#occurrences(search).map((start) => this.#whole(start, search, by, number));
    const found = exact.length > 0 ? exact : this.#tolerant(search, by, number);
    if (found.length === 0) throw this.#noMatch(search, prefix);
    if (found.length > 1 && edit.all !== true) {
      const lines = found.slice(0, 10).map(({ start }) => this.lineAt(start));
      const times = found.length > mostPlaces ? `more than ${mostPlaces}` : found.length;
      throw new FileError(
        "ambiguous_match",
        `${prefix}"search" occurs ${times} times, in lines ${lines.join(", ")}${found.length > 10 ? ", …" : ""}. Add lines before or after it until it occurs once, or set "all" to replace every one.`,
      );
    }
    return found;
  }

  /** Returns the number of the line of a position, from 1. */
  lineAt(position: number): number {
    const starts = this.#lineStarts();
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] ?? 0) <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the numbers of the lines of ascending positions, from 1. */
  linesAt(positions: readonly number[]): readonly number[] {
    let line = 1;
    let next = this.#text.indexOf("\n");
    return positions.map((position) => {
      for (; next >= 0 && next < position; next = this.#text.indexOf("\n", next + 1)) line++;
      return line;
    });
  }

  #occurrences(search: string): readonly number[] {
    const found: number[] = [];
    for (let at = this.#text.indexOf(search); at >= 0 && found.length <= mostPlaces;) {
      found.push(at);
      at = this.#text.indexOf(search, at + search.length);
    }
    return found;
  }

  /** If whole lines are removed, remove their line end, too. */
  #whole(start: number, search: string, by: string, edit: number): Match {
    const end = start + search.length;
    const isWhole =
      (start === 0 || this.#text[start - 1] === "\n") &&
      !search.endsWith("\n") &&
      this.#text[end] === "\n";
    return { start, end: by === "" && isWhole ? end + 1 : end, by, edit };
  }

  #tolerant(search: string, by: string, edit: number): readonly Match[] {
    const wanted = linesOf(search);
    const starts = this.#lineStarts();
    const endOf = (line: number) => starts[line] ?? this.#text.length;
    const found = this.#allLines().find(wanted, 0, mostPlaces + 1);
    return found.map(({ start, end, indent }) => {
      const replaced = linesOf(by).map((line) => indented(line, indent));
      const isLast = endOf(end) === this.#text.length && !this.#text.endsWith("\n");
      const text = by === "" ? "" : replaced.join("\n") + (isLast ? "" : "\n");
      return { start: endOf(start), end: endOf(end), by: text, edit };
    });
  }

  #noMatch(search: string, prefix: string): FileError {
    const wanted = linesOf(search);
    const { lines } = this.#allLines();
    const near = nearestLines(lines, wanted);
    const what = `${prefix}"search" does not occur in the file`;
    if (near === undefined)
      return new FileError("no_match", `${what}, and neither does any line of it. View the file.`);
    const shown = Math.min(20, near.end - near.start);
    return new FileError(
      "no_match",
      `${what}. The most similar lines are ${countOf(shown, "line")} from line ${near.start + 1}; copy it exactly:\n${numberedLines(lines, near)}`,
    );
  }

  #allLines(): TextLines {
    return (this.#lines ??= new TextLines(linesOf(this.#text)));
  }

  #lineStarts(): readonly number[] {
    if (this.#starts !== undefined) return this.#starts;
    const starts = [0];
    for (let at = this.#text.indexOf("\n"); at >= 0; at = this.#text.indexOf("\n", at + 1))
      starts.push(at + 1);
    return (this.#starts = starts);
  }
}

/** Returns the lines of a text. A line end at its end does not begin another line. */
function linesOf(text: string): readonly string[] {
  const lines = text.split("\n");
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}
