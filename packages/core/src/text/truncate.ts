import { cutPoints } from "./truncation-points.ts";

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

/** Text on one line, of at most about `max` characters: a line of a log must not become two. */
export function oneLine(text: string, max: number): string {
  // Spaces may fold, but not so many that a text of megabytes is worth reading for one line.
  // Mostly there is nothing to fold.
  if (text.length <= max && plain.test(text)) return text;
  const start = text.length > 8 * max ? text.slice(0, 8 * max) : text;
  const line = start.replaceAll(/[\s\u0085]+/g, " ").trim();
  if (line.length <= max && start.length === text.length) return line;
  return `${line.slice(0, max).toWellFormed()}…`;
}

/** Words with single spaces between them. */
const plain = /^[^\s\u0085]+(?: [^\s\u0085]+)*$/;

/**
 * A whole number as people read it. Not `toLocaleString`, which costs more than a whole call.
 *
 * @example thousands(1234567) // "1,234,567"
 */
export function thousands(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** About four characters of English to a token. Used where no tokenizer is given. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}
