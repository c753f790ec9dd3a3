import {
  firstElementStart,
  lastElementEnd,
  looksLikeJson,
  graphemeBoundary,
  firstLineStart,
  firstRowStart,
  isInTable,
  lastLineEnd,
  lastRowEnd,
  looksLikeRows,
} from "./text-boundary.ts";

/** A text, possibly truncated. */
export interface Truncated {
  readonly text: string;
  /** The number of omitted characters. */
  readonly omitted: number;
  /** The range of the full text that the truncated text does not show. */
  readonly rest: TextRange;
}

/** A piece of a text, in UTF-16 code units. */
interface TextRange {
  readonly start: number;
  readonly length: number;
}

/** Returns a text that is shown completely. */
export function untruncated(text: string): Truncated {
  return { text, omitted: 0, rest: { start: text.length, length: 0 } };
}

/**
 * Truncates a text to at most about `limit` characters, keeps its head and its tail, and puts a
 * notice of the missing length between them. Cuts at a nearby end of a line, a table row or a JSON
 * list element if there is one. Never cuts within a character of several code units. If truncation
 * would save nothing, the text is not truncated.
 *
 * @example truncate("0123456789".repeat(1000), 100).omitted // 9900
 */
export function truncate(text: string, limit: number): Truncated {
  if (text.length <= limit) return untruncated(text);
  const { headEnd, tailStart } = cutPoints(text, Math.max(0, limit));
  const omitted = tailStart - headEnd;
  // The notice has only Latin-1 characters: any other character would double the text's memory.
  const notice = `\n[... ${thousands(omitted)} characters omitted ...]\n`;
  if (omitted <= notice.length) return untruncated(text);
  return {
    text: text.slice(0, headEnd) + notice + text.slice(tailStart),
    omitted,
    rest: { start: headEnd, length: omitted },
  };
}

/**
 * Returns a text on one line, of at most about `max` characters: an entry in a log must not become
 * two lines.
 */
export function oneLine(text: string, max: number): string {
  // Replaces white space with single spaces. Reads at most eight times `max` characters of a long
  // text. Most texts need no change.
  if (text.length <= max && plain.test(text)) return text;
  const start = text.length > 8 * max ? text.slice(0, 8 * max) : text;
  const line = start.replaceAll(/[\s\u0085]+/g, " ").trim();
  if (line.length <= max && start.length === text.length) return line;
  return `${line.slice(0, max).toWellFormed()}…`;
}

/** Words with single spaces between them. */
const plain = /^[^\s\u0085]+(?: [^\s\u0085]+)*$/;

/**
 * Formats a whole number for users. `toLocaleString` would take longer than a complete call.
 *
 * @example thousands(1234567) // "1,234,567"
 */
export function thousands(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** Estimates one token for four characters, as in English. Used if there is no tokenizer. */
export function estimateTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** The offsets at which a text is cut. The part between them is omitted. */
interface CutPoints {
  readonly headEnd: number;
  readonly tailStart: number;
}

/** The share of the head or the tail that may be dropped to end with a complete line. */
const lineSlack = 0.1;
/** The share that may be dropped to end with a complete row or element. */
const rowSlack = 0.5;

type Shape = "json" | "rows" | "lines";

/** The share of a limit for the beginning of a text. */
const headShare = 0.8;

/**
 * Returns the offsets to cut a text that is longer than `limit` characters: after an element of a
 * JSON list, a row or a line that ends nearby, never within a visible character.
 */
function cutPoints(text: string, limit: number): CutPoints {
  const head = Math.ceil(limit * headShare);
  const tail = limit - head;
  const shape = looksLikeJson(text) ? "json" : looksLikeRows(text) ? "rows" : "lines";
  const headEnd = endOfHead(text, head, shape);
  const tailStart = tail <= 0 ? text.length : startOfTail(text, tail, shape);
  return { headEnd, tailStart: Math.max(headEnd, tailStart) };
}

function endOfHead(text: string, at: number, shape: Shape): number {
  const wide = Math.floor(at * (1 - rowSlack));
  const found =
    (shape === "json" ? lastElementEnd(text, wide, at) : undefined) ??
    (shape === "rows" ? lastRowEnd(text, wide, at) : undefined) ??
    lastLineEnd(text, isInTable(text, at) ? wide : Math.floor(at * (1 - lineSlack)), at);
  return found ?? graphemeBoundary(text, at);
}

function startOfTail(text: string, tail: number, shape: Shape): number {
  const at = text.length - tail;
  const wide = at + Math.floor(tail * rowSlack);
  const found =
    (shape === "json" ? firstElementStart(text, at, wide) : undefined) ??
    (shape === "rows" ? firstRowStart(text, at, wide) : undefined) ??
    firstLineStart(text, at, isInTable(text, at) ? wide : at + Math.floor(tail * lineSlack));
  return found ?? graphemeBoundary(text, at);
}

interface TokenLimit {
  readonly tokens: number;
  readonly countTokens: (text: string) => number;
  /** The maximum number of characters, even if they are few tokens. */
  readonly maxChars: number;
}

/** The initial estimate of characters per token. */
const usualChars = 4;
/** A cut that uses this much of the limit is sufficient. */
const goodUse = 0.9;
const tries = 6;

/**
 * Truncates a text like `truncate`, but to a maximum number of tokens, including the notice. Counts
 * the tokens only a few times, and only of texts about as long as the shown part.
 */
export function truncateToTokens(text: string, limit: TokenLimit): Truncated {
  const { tokens, countTokens, maxChars } = limit;
  let chars = Math.min(tokens * usualChars, maxChars);
  let best: Truncated | undefined;
  for (let tried = 0; tried < tries; tried++) {
    const cut = truncate(text, chars);
    const used = countTokens(cut.text);
    if (used <= tokens) {
      best = best === undefined || cut.text.length > best.text.length ? cut : best;
      if (cut.omitted === 0 || used >= tokens * goodUse || chars >= maxChars) break;
    } else if (best !== undefined) break;
    // A little less than the exact fit, because the next count differs slightly.
    const next = Math.floor((chars * tokens * 0.97) / Math.max(1, used));
    chars = Math.min(next === chars ? chars - 1 : next, maxChars);
  }
  return best ?? shrink(text, limit, chars);
}

/**
 * Halves the shown text until it fits. If the notice alone is too long, only the notice is left.
 */
function shrink(text: string, { tokens, countTokens }: TokenLimit, from: number): Truncated {
  let chars = from;
  let cut = truncate(text, chars);
  while (chars > 0 && countTokens(cut.text) > tokens) {
    chars = Math.floor(chars / 2);
    cut = truncate(text, chars);
  }
  return cut;
}

/**
 * Returns the same text in its own memory. An engine stores a part of a text as a view of the full
 * text. So 200 characters of a result would keep all of its megabytes in memory. It stores joined
 * text as its parts, which makes JSON serialization three times as slow and keeps the parts in
 * memory.
 */
export function detached(text: string): string {
  // Joins two parts, because a join of one part would return the part itself.
  return text.length < 2 ? text : [text.slice(0, 1), text.slice(1)].join("");
}
