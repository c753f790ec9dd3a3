/** A place in a list of lines: from the line `start` to before the line `end`, both from 0. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

/** A place in which wanted lines were found. */
export interface FoundLines extends LineRange {
  /** The white space that the lines have in front of the wanted ones. Empty if they are equal. */
  readonly indent: Indent;
}

/** How to change the white space at the start of a line. */
export interface Indent {
  readonly add: string;
  readonly remove: string;
}

export const sameIndent: Indent = { add: "", remove: "" };

/**
 * Returns the places in which lines occur: equal ones, or if there are none, those that differ only
 * in white space at their ends, or else those whose indentation differs by the same amount in all
 * lines.
 *
 * @param from the first line to search
 */
export function findLines(
  lines: readonly string[],
  wanted: readonly string[],
  from = 0,
): readonly FoundLines[] {
  const equal = search(lines, wanted, from, (line, want) => line === want);
  if (equal.length > 0) return equal;
  const trimmed = search(lines, wanted, from, (line, want) => line.trimEnd() === want.trimEnd());
  if (trimmed.length > 0) return trimmed;
  return search(lines, wanted, from, (line, want) => line.trim() === want.trim()).flatMap(
    (place) => {
      const indent = indentBetween(lines.slice(place.start, place.end), wanted);
      return indent === undefined ? [] : [{ ...place, indent }];
    },
  );
}

function search(
  lines: readonly string[],
  wanted: readonly string[],
  from: number,
  matches: (line: string, want: string) => boolean,
): readonly FoundLines[] {
  const found: FoundLines[] = [];
  const [first] = wanted;
  if (first === undefined) return found;
  for (let start = from; start + wanted.length <= lines.length; start++) {
    if (!matches(lines[start] ?? "", first)) continue;
    if (wanted.every((want, index) => matches(lines[start + index] ?? "", want)))
      found.push({ start, end: start + wanted.length, indent: sameIndent });
  }
  return found;
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
 * Returns the place that has most of the wanted lines in common, for an error message, or
 * `undefined` if no line of the text is among them.
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
