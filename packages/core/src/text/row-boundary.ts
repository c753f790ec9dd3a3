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
