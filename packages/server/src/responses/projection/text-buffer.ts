import { detached } from "@capstan/core/host";
import { type InternedText, internText } from "./interned-text.ts";

/** Buffers a text from its deltas. */
export interface TextBuffer {
  append(delta: string): void;
  isEmpty(): boolean;
  /** Replaces the buffer by the whole text. Returns the added end, or `undefined` if the text begins differently. */
  complete(whole: string): string | undefined;
  whole(): string;
}

/** The length of a piece, in UTF-16 units. */
const pieceLength = 4_096;

/**
 * Creates a buffer of interned pieces. All readers of a run cut its text at the same offsets, so that
 * it is in memory once.
 */
export function createTextBuffer(intern = internText): TextBuffer {
  let pieces: InternedText[] = [];
  /** Less than a piece. */
  let rest = "";
  let length = 0;
  /** All of it, until it grows. */
  let joined: InternedText | undefined;

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
        pieces.push(intern(rest.slice(at, at + pieceLength)));
      rest = detached(rest.slice(whole));
    },
    isEmpty: () => length === 0,
    complete(whole) {
      if (!startsIn(whole)) return undefined;
      const added = whole.slice(length);
      length = whole.length;
      joined = undefined;
      pieces = whole.length < pieceLength ? [] : [intern(whole)];
      rest = pieces.length === 0 ? whole : "";
      return added;
    },
    whole() {
      const [first] = pieces;
      if (first === undefined) return rest;
      if (pieces.length === 1 && rest === "") return first.text;
      joined ??= intern(pieces.map(({ text }) => text).join("") + rest);
      return joined.text;
    },
  };
}
