import { detached } from "@capstan/core/host";
import { type SharedText, sharedText } from "./shared-text.ts";

/** A text that is gathered from its deltas. */
export interface GrowingText {
  append(delta: string): void;
  isEmpty(): boolean;
  /** Becomes the whole text; what it adds to what there was, or undefined where it begins otherwise. */
  complete(whole: string): string | undefined;
  whole(): string;
}

/** The length of a piece, in UTF-16 units. */
const pieceLength = 4_096;

/**
 * In pieces, cut at the same places by everyone who gathers it, and shared: however many read a
 * run, its text is there once.
 */
export function createGrowingText(): GrowingText {
  let pieces: SharedText[] = [];
  /** Less than a piece. */
  let rest = "";
  let length = 0;
  /** All of it, until it grows. */
  let joined: SharedText | undefined;

  function startsIn(whole: string): boolean {
    let at = 0;
    for (const { text } of pieces) {
      if (!whole.startsWith(text, at)) return false;
      at += text.length;
    }
    return whole.startsWith(rest, at);
  }

  return {
    append(delta) {
      joined = undefined;
      length += delta.length;
      rest += delta;
      if (rest.length < pieceLength) return;
      const whole = rest.length - (rest.length % pieceLength);
      for (let at = 0; at < whole; at += pieceLength)
        pieces.push(sharedText(rest.slice(at, at + pieceLength)));
      rest = detached(rest.slice(whole));
    },
    isEmpty: () => length === 0,
    complete(whole) {
      if (!startsIn(whole)) return undefined;
      const added = whole.slice(length);
      length = whole.length;
      joined = undefined;
      pieces = whole.length < pieceLength ? [] : [sharedText(whole)];
      rest = pieces.length === 0 ? whole : "";
      return added;
    },
    whole() {
      const [first] = pieces;
      if (first === undefined) return rest;
      if (pieces.length === 1 && rest === "") return first.text;
      joined ??= sharedText(pieces.map(({ text }) => text).join("") + rest);
      return joined.text;
    },
  };
}
