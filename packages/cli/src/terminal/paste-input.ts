import { Transform, type TransformCallback } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type { Line } from "./terminal.ts";

const [begin, end] = ["\u001B[200~", "\u001B[201~"];
/** The escape sequences that turn bracketed paste on and off. */
export const bracketedPaste = { on: "\u001B[?2004h", off: "\u001B[?2004l" } as const;

/** A longer paste is shown as a marker, so that it does not fill the screen. */
const shown = { lines: 10, characters: 1_000 };
/** Milliseconds after which a lone Escape key is passed on. */
const escapeMs = 50;
const anyMarker = /\[pasted \d/;
/** Stands for a line break of a paste, so that it does not send the line. */
const lineBreak = "⏎";

/** A line with its pastes, or `edited marker` if the user changed the marker of one. */
export type ExpandedLine = Line | { readonly type: "edited marker" };

/**
 * Reads the keys of a terminal, and turns each paste into a single line: a line break is shown as `⏎`,
 * and a long paste as `[pasted 120 lines #1]`. Control characters of a paste are removed.
 */
export class PasteInput extends Transform {
  readonly isTTY = true;
  readonly #terminal: NodeJS.ReadStream;
  readonly #isLineEmpty: () => boolean;
  readonly #decoder = new StringDecoder("utf8");
  #pending = "";
  #escape: NodeJS.Timeout | undefined;
  /** The paste so far, or `undefined` outside of a paste. */
  #paste: string | undefined;
  /** The pastes of the current line. */
  #pasted: string[] = [];
  /** The long ones, by their markers. */
  readonly #hidden = new Map<string, string>();
  /** Whether line breaks of a paste are shown as `⏎`. */
  #hasBreaks = false;
  #count = 0;

  /** @param isLineEmpty whether the user has typed nothing, or deleted all of it */
  constructor(terminal: NodeJS.ReadStream, isLineEmpty: () => boolean) {
    super({ decodeStrings: true, encoding: "utf8" });
    this.#terminal = terminal;
    this.#isLineEmpty = isLineEmpty;
    terminal.pipe(this);
  }

  setRawMode(on: boolean): this {
    this.#terminal.setRawMode(on);
    return this;
  }

  /** Detaches from the terminal, so that the process can end. */
  detach(): void {
    clearTimeout(this.#escape);
    this.#terminal.unpipe(this);
    this.#terminal.pause();
  }

  /** Returns a line with its pasted texts in place of their markers, and forgets them. */
  expand(line: string): ExpandedLine {
    const typed = this.#hasBreaks ? line.replaceAll(lineBreak, "\n") : line;
    const pieces: string[] = [];
    let rest = typed;
    for (;;) {
      const at = rest.search(anyMarker);
      if (at === -1) break;
      const marker = [...this.#hidden.keys()].find((known) => rest.startsWith(known, at));
      if (marker === undefined) return { type: "edited marker" };
      pieces.push(rest.slice(0, at), this.#hidden.get(marker) ?? "");
      rest = rest.slice(at + marker.length);
    }
    const pasted = this.#pasted;
    this.#forget();
    return { type: "line", text: pieces.join("") + rest, ...(pasted.length > 0 && { pasted }) };
  }

  #forget(): void {
    this.#hidden.clear();
    this.#pasted = [];
    this.#hasBreaks = false;
  }

  override _transform(chunk: Buffer, _encoding: string, done: TransformCallback): void {
    clearTimeout(this.#escape);
    this.#pending += this.#decoder.write(chunk);
    for (;;) {
      const marker = this.#paste === undefined ? begin : end;
      const at = this.#pending.indexOf(marker);
      if (at === -1) break;
      this.#take(this.#pending.slice(0, at));
      this.#pending = this.#pending.slice(at + marker.length);
      if (this.#paste === undefined) this.#paste = "";
      else this.#endPaste(this.#paste);
    }
    const kept = heldBack(this.#pending, this.#paste === undefined ? begin : end);
    this.#take(this.#pending.slice(0, this.#pending.length - kept));
    this.#pending = this.#pending.slice(this.#pending.length - kept);
    if (kept > 0 && this.#paste === undefined) this.#escape = setTimeout(this.#endEscape, escapeMs);
    done();
  }

  /** Passes on the Escape key, or a sequence other than a paste. */
  readonly #endEscape = (): void => {
    this.#take(this.#pending);
    this.#pending = "";
  };

  #take(text: string): void {
    if (this.#paste === undefined) {
      if (text !== "") this.push(text);
    } else this.#paste += text;
  }

  #endPaste(raw: string): void {
    this.#paste = undefined;
    const paste = raw.replaceAll(/\r\n?/g, "\n").replaceAll(/[^\P{Cc}\n\t]/gu, "");
    if (paste === "") return;
    if (this.#isLineEmpty()) this.#forget();
    this.#pasted.push(paste);
    const text = paste.replace(/\n$/, "");
    const lines = text.split("\n").length;
    if (lines <= shown.lines && text.length <= shown.characters && !/[\t⏎]/.test(text)) {
      this.#hasBreaks ||= lines > 1;
      this.push(text.replaceAll("\n", lineBreak));
      return;
    }
    const size = lines === 1 ? `${text.length} characters` : `${lines} lines`;
    const marker = `[pasted ${size} #${++this.#count}]`;
    this.#hidden.set(marker, text);
    this.push(marker);
  }
}

/** Returns how many characters at the end of a text may begin a marker. */
function heldBack(text: string, marker: string): number {
  for (let length = marker.length - 1; length > 0; length--)
    if (text.endsWith(marker.slice(0, length))) return length;
  return 0;
}
