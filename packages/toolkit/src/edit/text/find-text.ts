/**
 * A range in a list of lines: it begins with the line `start` and ends before the line `end`. Lines
 * count from 0.
 */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

/** A range in which wanted lines were found. */
export interface FoundLines extends LineRange {
  /**
   * The difference between the indentation of the found and the wanted lines. Empty if they are
   * equal.
   */
  readonly indent: Indent;
}

/** How to change the white space at the start of a line. */
export interface Indent {
  readonly add: string;
  readonly remove: string;
}

export const sameIndent: Indent = { add: "", remove: "" };

/** The lines of a text, prepared so that many searches take little time. */
export class TextLines {
  readonly lines: readonly string[];
  readonly #forms = new Map<Form, { readonly ids: Int32Array; readonly known: Ids }>();

  constructor(lines: readonly string[]) {
    this.lines = lines;
  }

  /**
   * Returns the ranges in which lines occur, without overlaps. If no range is equal, returns the
   * ranges that differ only in white space at line ends. If there are none, returns the ranges in
   * which the indentation of all lines differs by the same amount.
   *
   * @param from the first line to search
   * @param most the maximum number of ranges
   */
  find(wanted: readonly string[], from = 0, most = Infinity): readonly FoundLines[] {
    for (const form of ["equal", "trimmedEnd"] as const) {
      const found = [...this.#search(form, wanted, from)].slice(0, most);
      if (found.length > 0) return found.map((place) => ({ ...place, indent: sameIndent }));
    }
    const found: FoundLines[] = [];
    for (const place of this.#search("trimmed", wanted, from)) {
      const indent = indentBetween(this.lines.slice(place.start, place.end), wanted);
      if (indent !== undefined) found.push({ ...place, indent });
      if (found.length >= most) break;
    }
    return found;
  }

  /**
   * Returns the index of the first line that equals a line, apart from white space around it, or
   * -1.
   */
  lineLike(line: string, from: number): number {
    const { ids, known } = this.#form("trimmed");
    const id = known.get(line.trim());
    return id === undefined ? -1 : ids.indexOf(id, from);
  }

  /** Compares lines by their numbers, in one pass (Knuth, Morris and Pratt). */
  *#search(form: Form, wanted: readonly string[], from: number): Generator<LineRange> {
    const { ids, known } = this.#form(form);
    const pattern: number[] = [];
    for (const line of wanted) {
      const id = known.get(forms[form](line));
      if (id === undefined) return;
      pattern.push(id);
    }
    if (pattern.length === 0) return;
    const back = borders(pattern);
    let matched = 0;
    for (let at = from; at < ids.length; at++) {
      while (matched > 0 && ids[at] !== pattern[matched]) matched = back[matched - 1] ?? 0;
      if (ids[at] === pattern[matched]) matched++;
      if (matched < pattern.length) continue;
      yield { start: at + 1 - matched, end: at + 1 };
      matched = 0;
    }
  }

  #form(form: Form): { readonly ids: Int32Array; readonly known: Ids } {
    const made = this.#forms.get(form);
    if (made !== undefined) return made;
    const known = new Map<string, number>();
    const ids = Int32Array.from(this.lines, (line) => {
      const text = forms[form](line);
      const id = known.get(text) ?? known.size;
      if (id === known.size) known.set(text, id);
      return id;
    });
    this.#forms.set(form, { ids, known });
    return { ids, known };
  }
}

type Ids = ReadonlyMap<string, number>;
type Form = keyof typeof forms;
/** How lines are compared. */
const forms = {
  equal: (line: string) => line,
  trimmedEnd: (line: string) => line.trimEnd(),
  trimmed: (line: string) => line.trim(),
};

/** Returns for each prefix the length of its longest proper prefix that is also its end. */
function borders(pattern: readonly number[]): readonly number[] {
  const back = [0];
  for (let at = 1, length = 0; at < pattern.length; at++) {
    while (length > 0 && pattern[at] !== pattern[length]) length = back[length - 1] ?? 0;
    if (pattern[at] === pattern[length]) length++;
    back.push(length);
  }
  return back;
}

/** Returns the one difference between the indentation of all lines, or `undefined` if there are several. */
function indentBetween(lines: readonly string[], wanted: readonly string[]): Indent | undefined {
  let indent: Indent | undefined;
  for (const [index, want] of wanted.entries()) {
    if (want.trim() === "") continue;
    const [is, was] = [leadingSpace(lines[index] ?? ""), leadingSpace(want)];
    const own = is.endsWith(was)
      ? { add: is.slice(0, is.length - was.length), remove: "" }
      : was.endsWith(is)
        ? { add: "", remove: was.slice(0, was.length - is.length) }
        : undefined;
    if (own === undefined) return undefined;
    indent ??= own;
    if (own.add !== indent.add || own.remove !== indent.remove) return undefined;
  }
  return indent;
}

/** Applies a change of the indentation to a line. Empty lines stay empty. */
export function indented(line: string, { add, remove }: Indent): string {
  if (line.trim() === "") return line;
  return add + (line.startsWith(remove) ? line.slice(remove.length) : line.trimStart());
}

function leadingSpace(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

/**
 * Returns the range that contains most of the wanted lines, for an error message, or `undefined` if
 * the text contains none of them.
 */
export function nearestLines(
  lines: readonly string[],
  wanted: readonly string[],
): LineRange | undefined {
  const meaningful = new Set(wanted.map((line) => line.trim()).filter((line) => line.length > 2));
  if (meaningful.size === 0) return undefined;
  const isCommon = lines.map((line) => (meaningful.has(line.trim()) ? 1 : 0));
  let count = 0;
  let best = { start: 0, count: 0 };
  for (const [index, common] of isCommon.entries()) {
    count += common - (isCommon[index - wanted.length] ?? 0);
    if (count > best.count) best = { start: Math.max(0, index - wanted.length + 1), count };
  }
  if (best.count === 0) return undefined;
  const start = Math.max(0, Math.min(best.start, lines.length - wanted.length));
  return { start, end: Math.min(lines.length, start + wanted.length) };
}

/** Returns lines with their numbers for an error message. Omits the rest of long lines. */
export function numberedLines(lines: readonly string[], { start, end }: LineRange): string {
  return lines
    .slice(start, Math.min(end, start + 20))
    .map((line, index) => {
      const shown = line.length > longestLine ? `${line.slice(0, longestLine)}…` : line;
      return `${start + index + 1}\t${shown.toWellFormed()}`;
    })
    .join("\n");
}

const longestLine = 300;
