export type TokenKind = "comment" | "string" | "variable" | "word" | "punctuation" | "newline";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export interface Tokens {
  readonly tokens: readonly Token[];
  readonly unclosed: readonly { readonly what: string; readonly at: number }[];
}

const single = "'\u2018\u2019\u201a\u201b";
const double = '"\u201c\u201d\u201e';
const breaks = new Set(` \t\r\n{}()[];,|&<>=$@\`${single}${double}`);

/** PowerShell's tokens, as far as they say where things begin and end. Never fails. */
export function tokenize(source: string): Tokens {
  const scanner = new Scanner(source);
  scanner.run();
  return scanner;
}

class Scanner implements Tokens {
  readonly tokens: Token[] = [];
  readonly unclosed: { readonly what: string; readonly at: number }[] = [];
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  run(): void {
    while (this.#at < this.#source.length) this.#next();
  }

  #next(): void {
    const source = this.#source;
    const start = this.#at;
    const char = source.charAt(start);
    if (char === "\n") return this.#token("newline", start + 1);
    if (/\s/.test(char) || char === "\ufeff") return void this.#at++;
    if (char === "`") return void (this.#at += source.startsWith("`\r\n", start) ? 3 : 2);
    if (char === "#") return this.#token("comment", lineEnd(source, start));
    if (source.startsWith("<#", start)) return this.#until("#>", "A comment", "comment");
    const here = /^@(['"\u2018-\u201e])[ \t]*\r?\n/.exec(source.slice(start, start + 200));
    if (here !== null) return this.#hereString(here[1] ?? "");
    if (single.includes(char)) return this.#singleQuoted();
    if (double.includes(char)) return this.#doubleQuoted();
    if (char === "$") {
      const length = /^\$(?:\{[^}]*\}|[\p{L}\p{N}_?:]*[\p{L}\p{N}_?]|[$^])/u.exec(
        source.slice(start, start + 300),
      )?.[0].length;
      if (length !== undefined) return this.#token("variable", start + length);
    }
    if (breaks.has(char)) return this.#token("punctuation", start + 1);
    let end = start + 1;
    while (end < source.length && !breaks.has(source.charAt(end))) end++;
    this.#token("word", end);
  }

  #token(kind: TokenKind, end: number): void {
    const start = this.#at;
    this.tokens.push({ kind, text: this.#source.slice(start, end), start, end });
    this.#at = end;
  }

  #until(close: string, what: string, kind: TokenKind): void {
    const found = this.#source.indexOf(close, this.#at + 2);
    if (found === -1) this.unclosed.push({ what, at: this.#at });
    this.#token(kind, found === -1 ? this.#source.length : found + close.length);
  }

  #hereString(quote: string): void {
    const quotes = single.includes(quote) ? single : double;
    const close = new RegExp(`\\n[${quotes}]@`, "g");
    close.lastIndex = this.#at + 2;
    const found = close.exec(this.#source);
    if (found === null) this.unclosed.push({ what: "A here-string", at: this.#at });
    this.#token("string", found === null ? this.#source.length : close.lastIndex);
  }

  #singleQuoted(): void {
    const source = this.#source;
    let at = this.#at + 1;
    while (at < source.length) {
      if (single.includes(source.charAt(at))) {
        if (at + 1 >= source.length || !single.includes(source.charAt(at + 1)))
          return this.#token("string", at + 1);
        at++;
      }
      at++;
    }
    this.#unclosedString();
  }

  #doubleQuoted(): void {
    const source = this.#source;
    let at = this.#at + 1;
    while (at < source.length) {
      const char = source.charAt(at);
      if (char === "`") at++;
      else if (char === "$" && source.charAt(at + 1) === "(") {
        at = this.#afterSubexpression(at + 1);
        continue;
      } else if (double.includes(char)) {
        if (at + 1 >= source.length || !double.includes(source.charAt(at + 1)))
          return this.#token("string", at + 1);
        at++;
      }
      at++;
    }
    this.#unclosedString();
  }

  /** The place behind the `)` that belongs to the `(` at `open`; strings in it may hold others. */
  #afterSubexpression(open: number): number {
    const inner = new Scanner(this.#source);
    inner.#at = open;
    let depth = 0;
    let seen = 0;
    while (inner.#at < this.#source.length) {
      inner.#next();
      for (; seen < inner.tokens.length; seen++) {
        const token = inner.tokens[seen];
        if (token?.kind !== "punctuation") continue;
        if (token.text === "(") depth++;
        if (token.text === ")") depth--;
        if (token.text === ")" && depth === 0) return token.end;
      }
    }
    return this.#source.length;
  }

  #unclosedString(): void {
    this.unclosed.push({ what: "A string", at: this.#at });
    this.#token("string", this.#source.length);
  }
}

function lineEnd(source: string, start: number): number {
  const end = source.indexOf("\n", start);
  if (end === -1) return source.length;
  return source.charAt(end - 1) === "\r" ? end - 1 : end;
}
