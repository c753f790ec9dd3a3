import type { JsonValue } from "../base/json.ts";
import { scanJson } from "../json/json-scan.ts";
import { countKeys } from "../json/json-value.ts";

/** A value that was read from a text, with descriptions of the text's differences from JSON. */
export interface RelaxedJson {
  readonly value: JsonValue;
  readonly repairs: readonly string[];
}

/** The maximum depth of lists and objects. */
const maxDepth = 200;

/**
 * Reads text with models' usual mistakes in JSON syntax, if it can mean only one value. It accepts
 * single, curly or Python quotes, `True`, `False` and `None`, and comments. It also accepts control
 * characters within strings, and commas before a closing bracket.
 *
 * It rejects ambiguous text: an unescaped quote within a string, a bare word, a missing comma or an
 * unknown escape. It also rejects a number that a double cannot hold, a repeated key, and text that
 * was cut off.
 *
 * @returns undefined if the text is not one value
 * @example
 * readRelaxedJson("{'paths': ['a', 'b'], 'deep': True}")
 * // { value: { paths: ["a", "b"], deep: true }, repairs: ["…single quotes", "…Python's words"] }
 */
export function readRelaxedJson(text: string): RelaxedJson | undefined {
  const read = readRelaxedValue(text, 0);
  return read?.end === text.length && read.unclosed === 0 ? read : undefined;
}

/** A value at the beginning of a text. */
export interface RelaxedValue extends RelaxedJson {
  /** The offset after the value, white space and comments. */
  readonly end: number;
  /**
   * The number of missing closing brackets: 1 if the text ends after a member of the outermost
   * object.
   */
  readonly unclosed: 0 | 1;
}

/** Reads the value that begins at `start`, and ignores the text after it. */
export function readRelaxedValue(text: string, start: number): RelaxedValue | undefined {
  const reader = new Reader(text, start);
  if (!reader.read()) return undefined;
  const { depth, keys, inexact } = scanJson(reader.json);
  if (depth > maxDepth || inexact !== undefined) return undefined;
  const value = JSON.parse(reader.json) as JsonValue;
  if (countKeys(value) !== keys) return undefined;
  const { at: end, unclosed } = reader;
  return { value, end, unclosed, repairs: [...reader.repairs] };
}

const closing: { readonly [quote: string]: string } = { '"': '"', "'": "'", "“": "”", "‘": "’" };
const words: { readonly [word: string]: string } = {
  true: "true",
  false: "false",
  null: "null",
  True: "true",
  False: "false",
  None: "null",
};

const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const word = /\w+/y;
// A model that escapes a whole text twice also writes `\n` between the tokens.
const space = /(?:[ \n\r\t]|\\[nrt])+/y;
const lineComment = /(?:\/\/|#)[^\n]*/y;
const blockComment = /\/\*[^]*?\*\//y;
const plainText = /[^"'“”‘’\\\p{Cc}]+/uy;
const escape = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const hexEscape = /\\x([\da-fA-F]{2})/y;

/** Rewrites the text as strict JSON while it reads. */
class Reader {
  at: number;
  unclosed: 0 | 1 = 0;
  readonly repairs = new Set<string>();
  readonly #text: string;
  readonly #json: string[] = [];

  constructor(text: string, start: number) {
    this.#text = text;
    this.at = start;
  }

  get json(): string {
    return this.#json.join("");
  }

  /**
   * Returns whether the text begins with a value that is complete, except perhaps for its last
   * brace.
   */
  read(): boolean {
    const open: string[] = [];
    let after: "open" | "comma" | "colon" | "value" = "colon";
    for (;;) {
      if (!this.#skip(open.length > 0)) return false;
      const inner = open.at(-1);
      if (after === "value") {
        if (inner === undefined) return true;
        if (this.at === this.#text.length) return this.#closeLast(open);
      }
      const char = this.#text[this.at];
      if (char === inner && after !== "colon") {
        if (after === "comma") {
          this.#json.pop();
          this.repairs.add("removed a trailing comma");
        }
        this.#write(char as string);
        open.pop();
        after = "value";
      } else if (after === "value") {
        if (char !== ",") return false;
        this.#write(",");
        after = "comma";
      } else if (inner === "}" && after !== "colon") {
        if (!this.#key()) return false;
        after = "colon";
      } else if (char === "[" || char === "{") {
        open.push(char === "[" ? "]" : "}");
        if (open.length > maxDepth) return false;
        this.#write(char);
        after = "open";
      } else {
        if (!this.#scalar()) return false;
        after = "value";
      }
    }
  }

  /** Adds the outermost brace, but not after a number, which may have been cut off. */
  #closeLast(open: readonly string[]): boolean {
    if (open.length > 1 || open[0] !== "}" || /[\d.]$/.test(this.#json.at(-1) ?? "")) return false;
    this.#json.push("}");
    this.unclosed = 1;
    return true;
  }

  #write(json: string, length = json.length): void {
    this.#json.push(json);
    this.at += length;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    return pattern.exec(this.#text)?.[0];
  }

  /**
   * @param isInside whether a line comment without an end may hide the rest of the text
   */
  #skip(isInside: boolean): boolean {
    for (;;) {
      const blank = this.#match(space);
      if (blank?.includes("\\")) this.repairs.add("removed `\\n` between the values");
      const comment =
        blank === undefined ? (this.#match(lineComment) ?? this.#match(blockComment)) : undefined;
      const skipped = blank ?? comment;
      if (skipped === undefined) return true;
      this.at += skipped.length;
      if (comment === undefined) continue;
      this.repairs.add("removed a comment");
      if (isInside && !comment.startsWith("/*") && this.at === this.#text.length) return false;
    }
  }

  #key(): boolean {
    if (!this.#string() || !this.#skip(true) || this.#text[this.at] !== ":") return false;
    this.#write(":");
    return true;
  }

  #scalar(): boolean {
    if (Object.hasOwn(closing, this.#text[this.at] ?? "")) return this.#string();
    const written = this.#match(word);
    if (written !== undefined && Object.hasOwn(words, written)) {
      const meant = words[written] as string;
      if (meant !== written) this.repairs.add("read Python's True, False and None");
      this.#write(meant, written.length);
      return true;
    }
    const digits = this.#match(number);
    // `1_000`, `0x10` and similar text continue with a letter.
    if (digits === undefined || /[\w.]/.test(this.#text[this.at + digits.length] ?? ""))
      return false;
    this.#write(digits);
    return true;
  }

  #string(): boolean {
    const quote = this.#text[this.at] ?? "";
    const end = Object.hasOwn(closing, quote) ? closing[quote] : undefined;
    if (end === undefined) return false;
    if (quote !== '"')
      this.repairs.add(`read ${quote === "'" ? "single" : "curly"} quotes as double quotes`);
    this.#write('"', 1);
    for (;;) {
      const plain = this.#match(plainText);
      if (plain !== undefined) this.#write(plain);
      const char = this.#text[this.at];
      if (char === undefined) return false;
      if (char === end) {
        this.#write('"', 1);
        return true;
      }
      if (!this.#special(char, quote)) return false;
    }
  }

  /** A character that JSON strings do not allow unescaped, or that may be a quote. */
  #special(char: string, quote: string): boolean {
    if (char === "\\") return this.#escape(quote);
    if (char === '"') {
      // After an opening curly quote, a straight quote may end the string.
      if (quote !== "'") return false;
      this.#write('\\"', 1);
    } else if (/\p{Cc}/u.test(char)) {
      if (char < " ") this.repairs.add("kept control characters in a string");
      this.#write(JSON.stringify(char).slice(1, -1), 1);
    } else if (char === quote) {
      return false;
    } else this.#write(char);
    return true;
  }

  #escape(quote: string): boolean {
    // Python keeps the backslash of `\/`, JavaScript and JSON do not.
    if (quote === "'" && this.#text[this.at + 1] === "/") return false;
    const same = this.#match(escape);
    if (same !== undefined) {
      this.#write(same);
      return true;
    }
    const hex = this.#match(hexEscape);
    if (hex !== undefined) this.#write(`\\u00${hex.slice(2)}`, hex.length);
    else if (this.#text[this.at + 1] === "'") this.#write("'", 2);
    else return false;
    this.repairs.add("read an escape that JSON does not allow");
    return true;
  }
}
