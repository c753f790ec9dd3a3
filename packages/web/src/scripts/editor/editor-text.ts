/** The text and the selection of a field. */
export interface Selected {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A replacement for `from`…`to`, and the selection after it. */
export interface TextChange {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
  readonly start: number;
  readonly end: number;
}

const indent = "    ";

/** Inserts spaces to the next tab stop, or indents all selected lines. */
export function indentChange({ text, start, end }: Selected): TextChange {
  if (!text.slice(start, end).includes("\n")) {
    const column = start - lineStart(text, start);
    const insert = " ".repeat(indent.length - (column % indent.length));
    return {
      from: start,
      to: end,
      insert,
      start: start + insert.length,
      end: start + insert.length,
    };
  }
  return linesChange({ text, start, end }, (line) => (line === "" ? line : indent + line));
}

/** Removes a tab, or at most four spaces, from the start of each line. */
export function outdentChange(selected: Selected): TextChange {
  return linesChange(selected, (line) => line.replace(/^(?: {1,4}|\t)/, ""));
}

/**
 * Inserts a new line with the indentation of the previous one, and one more level after a colon or
 * a brace.
 */
export function newLineChange({ text, start, end }: Selected): TextChange {
  const before = text.slice(lineStart(text, start), start);
  const own = /^[ \t]*/.exec(before)?.[0] ?? "";
  const insert = `\n${own}${/[:{([]\s*$/.test(before) ? indent : ""}`;
  return { from: start, to: end, insert, start: start + insert.length, end: start + insert.length };
}

/**
 * Returns the offset of a line and column, which count from 1, or the nearest offset if they do not
 * exist.
 */
export function offsetAt(text: string, line: number, column = 1): number {
  let at = 0;
  for (let n = 1; n < line; n++) {
    const end = text.indexOf("\n", at);
    if (end === -1) break;
    at = end + 1;
  }
  const end = text.indexOf("\n", at);
  return Math.min(at + Math.max(0, column - 1), end === -1 ? text.length : end);
}

/** Counts the lines of a text; an empty text has one. */
export function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) lines += 1;
  return lines;
}

/**
 * Converts a source's line endings to `\n`, because text fields have no others; the result also
 * restores the original endings.
 */
export function fieldText(source: string): {
  readonly text: string;
  readonly toSource: (text: string) => string;
} {
  const text = source.replaceAll(/\r\n?/g, "\n");
  return {
    text,
    toSource: (edited) =>
      edited === text ? source : source.includes("\r\n") ? edited.replaceAll("\n", "\r\n") : edited,
  };
}

function linesChange({ text, start, end }: Selected, change: (line: string) => string): TextChange {
  const from = lineStart(text, start);
  // A selection that ends at the start of a line does not include that line.
  const last = end > start && text[end - 1] === "\n" ? end - 1 : end;
  const lineEnd = text.indexOf("\n", last);
  const to = lineEnd === -1 ? text.length : lineEnd;
  const lines = text.slice(from, to).split("\n");
  const changed = lines.map(change);
  const insert = changed.join("\n");
  const first = (changed[0]?.length ?? 0) - (lines[0]?.length ?? 0);
  const grown = insert.length - (to - from);
  return {
    from,
    to,
    insert,
    start: Math.max(from, start + first),
    end: Math.max(from, end + grown),
  };
}

function lineStart(text: string, at: number): number {
  // A negative offset would make `lastIndexOf` look at the first character.
  return at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
}
