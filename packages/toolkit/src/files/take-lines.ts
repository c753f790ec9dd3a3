export interface TakenLines {
  /** The unchanged lines of the file, with their line ends. */
  readonly text: string;
  readonly startLine: number;
  /** The number of the last returned line; `startLine - 1` if there was none. */
  readonly endLine: number;
  /** The number of lines in the whole file. Absent if the file was not read to its end. */
  readonly totalLines: number | undefined;
  /** Set if the size limit truncated the requested range: inside or after the line `endLine`. */
  readonly cut?: "after_line" | "in_line";
}

/** Numbering more lines would block the event loop, however short they are. */
const mostLines = 200_000;

export interface TakeOptions {
  /** From 1. @default 1 */
  readonly startLine?: number;
  /** Inclusive. @default the last */
  readonly endLine?: number;
  /** The maximum number of characters; text is truncated after a line if one fits. */
  readonly maxLength: number;
  /** The maximum number of lines; text is truncated after the last one. @default 200,000 */
  readonly maxLines?: number;
  /** Whether to continue after the last returned line, only to count lines. */
  readonly countAfter: boolean;
}

/** Returns a range of lines from a text in chunks, with only that range in memory. */
export async function takeLines(
  pieces: AsyncIterable<{ readonly text: string }>,
  options: TakeOptions,
): Promise<TakenLines> {
  const { startLine = 1, endLine = Number.POSITIVE_INFINITY, maxLength, countAfter } = options;
  const lastLine = startLine + (options.maxLines ?? mostLines) - 1;
  const taken: string[] = [];
  let length = 0;
  /** The number of the line with the next character. */
  let line = 1;
  let lineHasText = false;
  let endedAt = startLine - 1;
  let cut: TakenLines["cut"];
  let stopped = false;
  for await (const { text } of pieces) {
    for (let from = 0; from < text.length;) {
      const lineEnd = text.indexOf("\n", from);
      const to = lineEnd < 0 ? text.length : lineEnd + 1;
      if (line > lastLine && line <= endLine) cut ??= "after_line";
      if (line >= startLine && line <= endLine && cut === undefined) {
        const room = maxLength - length;
        const piece = text.slice(from, Math.min(to, from + room));
        taken.push(piece);
        length += piece.length;
        if (piece.length > 0) endedAt = line;
        if (to - from > room) cut = "in_line";
      }
      lineHasText = lineEnd < 0;
      if (lineEnd >= 0) line++;
      from = to;
    }
    if (!countAfter && (line > endLine || cut !== undefined)) {
      stopped = true;
      break;
    }
  }
  const whole = taken.join("");
  const total = stopped ? undefined : line - (lineHasText ? 0 : 1);
  const result = { startLine, totalLines: total };
  if (cut === undefined) return { ...result, text: whole, endLine: endedAt };
  const lastEnd = whole.lastIndexOf("\n");
  // Returns whole lines if at least one fits; otherwise truncates the line.
  if (lastEnd < 0) return { ...result, text: wellFormed(whole), endLine: endedAt, cut };
  const linesTaken = whole.split("\n").length - 1;
  return {
    ...result,
    text: whole.slice(0, lastEnd + 1),
    endLine: startLine + linesTaken - 1,
    cut: "after_line",
  };
}

/** Removes half a surrogate pair at the end. */
function wellFormed(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text;
}
