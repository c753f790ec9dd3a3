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

export interface Truncated {
  readonly text: string;
  /** Characters left out; 0 where nothing was. */
  readonly omitted: number;
  /** The part of the whole text that must be read to know all of it. */
  readonly rest: TextRange;
}

/** A piece of a text, in UTF-16 code units. */
interface TextRange {
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

/** Where a text is cut: what lies between is left out. */
interface CutPoints {
  readonly headEnd: number;
  readonly tailStart: number;
}

/** How much of the head, or the tail, may be given up to end with a whole line. */
const lineSlack = 0.1;
/** And to end with a whole row or element. */
const rowSlack = 0.5;

type Shape = "json" | "rows" | "lines";

/** The part of a limit that goes to the beginning of a text. */
const headShare = 0.8;

/**
 * The places to cut a text that is longer than `limit` characters: behind an element of a JSON
 * list, a row or a line where one ends near, never within what is read as one character.
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
  /** Characters that are not passed, however few tokens they are. */
  readonly maxChars: number;
}

/** Characters of a token, to begin with. */
const usualChars = 4;
/** A cut that uses this much of the limit is good enough. */
const goodUse = 0.9;
const tries = 6;

/**
 * Cuts a text like `truncate`, to at most a number of tokens, the notice included. Tokens are
 * counted a few times, of texts about as long as what is shown, however long the whole is.
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
    // A little less than what would fit exactly: the next measure is not quite this one.
    const next = Math.floor((chars * tokens * 0.97) / Math.max(1, used));
    chars = Math.min(next === chars ? chars - 1 : next, maxChars);
  }
  return best ?? shrink(text, limit, chars);
}

/** Halves what is shown until it fits; where the notice alone is too much, only that is left. */
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
 * The same text in one piece of memory of its own. An engine keeps a part of a text as a view on the
 * whole, so that 200 characters of a result would hold all of its megabytes; and what is put together
 * as its parts, of which JSON is made at a third of the speed, with all that is around it.
 */
export function detached(text: string): string {
  // Of one part alone a join is that part itself.
  return text.length < 2 ? text : [text.slice(0, 1), text.slice(1)].join("");
}
