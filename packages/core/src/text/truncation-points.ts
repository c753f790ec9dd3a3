import { firstElementStart, lastElementEnd, looksLikeJson } from "./element-boundary.ts";
import { graphemeBoundary } from "./grapheme-boundary.ts";
import {
  firstLineStart,
  firstRowStart,
  isInTable,
  lastLineEnd,
  lastRowEnd,
  looksLikeRows,
} from "./row-boundary.ts";

/** Where a text is cut: what lies between is left out. */
export interface CutPoints {
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
export function cutPoints(text: string, limit: number): CutPoints {
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
