import { cutPoints } from "./truncation-points.ts";
import { thousands } from "./thousands.ts";

export interface Truncated {
  readonly text: string;
  /** Characters left out; 0 where nothing was. */
  readonly omitted: number;
  /** The part of the whole text that must be read to know all of it. */
  readonly rest: TextRange;
}

/** A piece of a text, in UTF-16 code units. */
export interface TextRange {
  readonly start: number;
  readonly length: number;
}

/** A text that is shown as it is. */
export function untruncated(text: string): Truncated {
  return { text, omitted: 0, rest: { start: text.length, length: 0 } };
}

/**
 * Cuts a text to at most about `limit` characters, keeping its head and its tail, and says between
 * them how much is missing. Cuts where a line, a table's row or a JSON list's element ends if one
 * does near by, and never within a character of several code units. A text stays whole where the
 * cut would save nothing.
 *
 * @example truncate("0123456789".repeat(1000), 100).omitted // 9900
 */
export function truncate(text: string, limit: number): Truncated {
  if (text.length <= limit) return untruncated(text);
  const { headEnd, tailStart } = cutPoints(text, Math.max(0, limit));
  const omitted = tailStart - headEnd;
  // No letter beyond Latin-1: one would double what the text takes in memory.
  const notice = `\n[... ${thousands(omitted)} characters left out ...]\n`;
  if (omitted <= notice.length) return untruncated(text);
  return {
    text: text.slice(0, headEnd) + notice + text.slice(tailStart),
    omitted,
    rest: { start: headEnd, length: omitted },
  };
}
