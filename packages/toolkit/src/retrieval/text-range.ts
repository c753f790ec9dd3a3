import { setImmediate as yieldToEventLoop } from "node:timers/promises";

/** The requested pages or lines of a text. Both count from 1. */
export interface WantedRange {
  readonly startPage?: number | undefined;
  readonly endPage?: number | undefined;
  readonly startLine?: number | undefined;
  readonly endLine?: number | undefined;
}

/** A part of a text, with the size of the whole text. */
export interface TextRange {
  readonly text: string;
  readonly lines: number;
  readonly pages?: number;
  /** The reason why there is no text. */
  readonly error?: string;
}

const pageMark = "## Page ";
const pageNumber = /^\d{1,9}$/;

/**
 * How long reading may block the event loop before it yields, in ms. Checked every `checkedLines`
 * lines.
 */
const maxBlockingMs = 8;
const checkedLines = 1_000;

/**
 * Returns the requested part of a text. Yields to the event loop while it reads a long text.
 *
 * @throws the signal's reason when it aborts
 */
export async function textRange(
  text: string,
  { startPage, endPage, startLine = 1, endLine = Infinity }: WantedRange,
  signal: AbortSignal,
): Promise<TextRange> {
  let lines = 0;
  let last: number | undefined;
  const line = { from: 0, to: text.length };
  const page: { from?: number; to?: number } = {};
  let began = performance.now();
  for (let from = 0; from <= text.length; lines += 1) {
    if (lines % checkedLines === 0 && performance.now() - began > maxBlockingMs) {
      await yieldToEventLoop();
      signal.throwIfAborted();
      began = performance.now();
    }
    const found = text.indexOf("\n", from);
    const end = found === -1 ? text.length : found;
    if (lines + 1 === startLine) line.from = from;
    if (lines + 1 === endLine) line.to = end;
    if (text.startsWith(pageMark, from) && end - from < 20) {
      const number = text.slice(from + pageMark.length, end).trimEnd();
      if (pageNumber.test(number)) {
        last = Number(number);
        if (last >= (startPage ?? 1)) page.from ??= from;
        if (last > (endPage ?? Infinity)) page.to ??= from;
      }
    }
    from = end + 1;
  }
  const size = { lines, ...(last !== undefined && { pages: last }) };
  if (startPage !== undefined || endPage !== undefined) {
    if (last === undefined)
      return { text: "", ...size, error: "it has no pages; give startLine and endLine" };
    if (page.from === undefined) return { text: "", ...size, error: `it has ${last} pages` };
    return { text: withoutReturns(text.slice(page.from, page.to)).trim(), ...size };
  }
  if (startLine > lines) return { text: "", ...size, error: `it has ${lines} lines` };
  return { text: withoutReturns(text.slice(line.from, line.to)), ...size };
}

function withoutReturns(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(/\r$/, "");
}
