import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import { fileKind, kindSampleBytes } from "./file-kind.ts";
import type { LineMatch, LineMatcher } from "./match-line.ts";
import type { OpenPath } from "./open-path.ts";
import { readSample } from "./read-text.ts";

/** The size of the largest searchable file, in bytes. The result mentions larger files. */
export const largestSearched = 16 * 1024 * 1024;

/** How long a search may block the event loop before it yields, in ms. */
const maxBlockingMs = 8;

export interface FoundLine {
  /** From 1. */
  readonly line: number;
  readonly text: string;
  /** A line around a match, not a match itself. */
  readonly context?: true;
}

export type FileSearch =
  | {
      readonly status: "searched";
      readonly lines: readonly FoundLine[];
      readonly matches: number;
      /** Number of lines that were not searched because they are too long for this pattern. */
      readonly skippedLines: number;
    }
  | { readonly status: "skipped"; readonly reason: "binary" | "large" | "not a file" };

const longestLineShown = 400;

export interface FileSearchOptions {
  readonly match: Extract<LineMatcher, { status: "compiled" }>["match"];
  readonly contextLines: number;
  /** The maximum number of lines to return; further matches are only counted. */
  readonly max: number;
  readonly signal: AbortSignal;
}

export async function searchFile(file: OpenPath, options: FileSearchOptions): Promise<FileSearch> {
  if (!file.stats.isFile()) return { status: "skipped", reason: "not a file" };
  if (file.stats.size > largestSearched) return { status: "skipped", reason: "large" };
  const bytes = await readSample(file.handle, file.stats.size);
  const kind = fileKind(bytes.subarray(0, kindSampleBytes));
  if (kind.type !== "text") return { status: "skipped", reason: "binary" };
  return searchText(new TextDecoder(kind.encoding).decode(bytes), options);
}

async function searchText(
  text: string,
  { match, contextLines, max, signal }: FileSearchOptions,
): Promise<FileSearch> {
  let began = performance.now();
  const lines = text.split(/\r?\n/);
  const found: FoundLine[] = [];
  let matches = 0;
  let skippedLines = 0;
  /** The index of the first line that is not in `found` yet. */
  let next = 0;
  let contextUntil = -1;
  for (const [i, line] of lines.entries()) {
    // A line takes some tens of milliseconds at worst, so yield between lines.
    if (performance.now() - began > maxBlockingMs) {
      await yieldToEventLoop();
      signal.throwIfAborted();
      began = performance.now();
    }
    const result = match(line);
    if (result === "too_long") skippedLines++;
    if (result === undefined || result === "too_long") {
      if (i <= contextUntil) {
        found.push({ line: i + 1, text: shorten(line), context: true });
        next = i + 1;
      }
      continue;
    }
    matches++;
    if (matches > max) continue;
    for (let before = Math.max(next, i - contextLines); before < i; before++) {
      found.push({ line: before + 1, text: shorten(lines[before] ?? ""), context: true });
    }
    found.push({ line: i + 1, text: shorten(line, result) });
    next = i + 1;
    contextUntil = i + contextLines;
  }
  return { status: "searched", lines: found, matches, skippedLines };
}

/** Returns the part of a long line around the match. */
function shorten(line: string, match: LineMatch = { start: 0, end: 0 }): string {
  if (line.length <= longestLineShown) return line;
  const from = Math.max(0, Math.min(match.start - 100, line.length - longestLineShown));
  const to = Math.min(line.length, from + longestLineShown);
  const shown = line.slice(from, to).toWellFormed();
  return `${from > 0 ? `…(${from} characters)` : ""}${shown}${to < line.length ? `…(${line.length - to} more)` : ""}`;
}
