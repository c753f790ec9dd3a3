import { pageStarts } from "../pages/page-parts.ts";

/** A part of a page with lines that match. */
export interface LineExcerpt {
  /** The page of `FetchWebPage` with the first match, from 1. */
  readonly page: number;
  /** The number of the first match's line in the text, from 1. */
  readonly line: number;
  readonly text: string;
}

/** The lines of a text that match. */
export interface LineMatches {
  /** The number of lines that match. */
  readonly matches: number;
  /** The number of these lines that the excerpts show. */
  readonly shown: number;
  readonly excerpts: readonly LineExcerpt[];
}

/** Longer lines are shown around their match. */
const longestLine = 800;

/** A line that matches, and the offset of the match in it. */
interface LineMatch {
  readonly line: number;
  readonly at: number;
}

/**
 * Returns the lines that contain the words literally, ignoring case.
 *
 * @param join whether a line must contain one of the words or all of them
 */
export function linesWithWords(
  text: string,
  words: readonly string[],
  join: "any" | "all",
): readonly LineMatch[] {
  // Literal text has no repetition and is therefore never slow.
  const patterns = words.map((word) => new RegExp(RegExp.escape(word), "iu"));
  return text.split("\n").flatMap((line, index) => {
    const found = patterns.map((pattern) => line.search(pattern)).filter((at) => at >= 0);
    const isMatch = join === "any" ? found.length > 0 : found.length === patterns.length;
    return isMatch ? [{ line: index, at: Math.min(...found) }] : [];
  });
}

/** Returns the lines in which matches start, each once. */
export function linesAt(text: string, offsets: readonly number[]): readonly LineMatch[] {
  const starts = lineStarts(text);
  const lines = new Map<number, LineMatch>();
  let line = 0;
  for (const offset of offsets) {
    while (line + 1 < starts.length && (starts[line + 1] ?? 0) <= offset) line++;
    if (!lines.has(line)) lines.set(line, { line, at: offset - (starts[line] ?? 0) });
  }
  return [...lines.values()];
}

/**
 * Returns the matching lines with the lines around them. Merges adjacent excerpts.
 *
 * @param context the number of nonempty lines before and after each match
 */
export function excerptLines(
  text: string,
  found: readonly LineMatch[],
  { context, limit }: { readonly context: number; readonly limit: number },
): LineMatches {
  const lines = text.split("\n");
  const starts = lineStarts(text);
  const pages = pageStarts(text);
  const excerpts: { from: number; to: number; first: LineMatch; at: Map<number, number> }[] = [];
  for (const match of found) {
    const from = reach(lines, match.line, -context);
    const to = reach(lines, match.line, context);
    const last = excerpts.at(-1);
    if (last !== undefined && from <= last.to + 1) {
      last.to = Math.max(last.to, to);
      last.at.set(match.line, match.at);
    } else if (excerpts.length === limit) break;
    else excerpts.push({ from, to, first: match, at: new Map([[match.line, match.at]]) });
  }
  return {
    matches: found.length,
    shown: excerpts.reduce((sum, { at }) => sum + at.size, 0),
    excerpts: excerpts.map(({ from, to, first, at }) => {
      const position = (starts[first.line] ?? 0) + first.at;
      return {
        page: pages.findLastIndex((start) => start <= position) + 1,
        line: first.line + 1,
        text: lines
          .slice(from, to + 1)
          .map((line, index) => shorten(line, at.get(from + index) ?? 0))
          .filter((line) => line.trim() !== "")
          .join("\n"),
      };
    }),
  };
}

/** Returns the line that is at most `count` nonempty lines away. */
function reach(lines: readonly string[], line: number, count: number): number {
  const step = Math.sign(count);
  let at = line;
  for (let next = line + step, left = Math.abs(count); left > 0; next += step) {
    const text = lines[next];
    if (text === undefined) break;
    if (text.trim() === "") continue;
    at = next;
    left--;
  }
  return at;
}

function shorten(line: string, at: number): string {
  if (line.length <= longestLine) return line;
  const from = Math.max(0, Math.min(at - longestLine / 2, line.length - longestLine));
  const to = from + longestLine;
  return `${from > 0 ? "…" : ""}${line.slice(from, to).toWellFormed()}${to < line.length ? "…" : ""}`;
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}
