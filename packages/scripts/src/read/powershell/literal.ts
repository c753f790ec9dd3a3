import type { JsonValue } from "@capstan/core";
import { type Token, tokenize } from "./tokens.ts";

/**
 * Returns the value of a PowerShell expression if it is a literal, otherwise undefined. Nothing is
 * run.
 */
export function literalOf(text: string): JsonValue | undefined {
  return readAll(significantTokens(text), (reader) => reader.list());
}

/** The arguments of an attribute. */
export interface AttributeArguments {
  /** By name, in lower case. A name without a value is true. */
  readonly named: ReadonlyMap<string, JsonValue | undefined>;
  readonly positional: readonly (JsonValue | undefined)[];
}

/**
 * Parses `Mandatory, Position = 1` or `'a', 'b'`. Expressions that are not literals are undefined.
 */
export function attributeArguments(text: string): AttributeArguments {
  const named = new Map<string, JsonValue | undefined>();
  const positional: (JsonValue | undefined)[] = [];
  for (const part of splitAtCommas(significantTokens(text))) {
    const [name, equals] = part;
    if (name?.kind === "word" && equals?.text === "=") {
      const value = readAll(part.slice(2), (reader) => reader.one());
      named.set(name.text.toLowerCase(), value);
    } else if (part.length === 1 && name?.kind === "word" && /^[a-z]\w*$/i.test(name.text)) {
      named.set(name.text.toLowerCase(), true);
    } else if (part.length > 0) {
      positional.push(readAll(part, (reader) => reader.one()));
    }
  }
  return { named, positional };
}

/** Returns the result of reading all tokens, or undefined if some are left. */
function readAll(
  tokens: readonly Token[],
  read: (reader: LiteralReader) => JsonValue | undefined,
): JsonValue | undefined {
  const reader = new LiteralReader(tokens);
  const value = read(reader);
  return reader.isDone() ? value : undefined;
}

function significantTokens(text: string): readonly Token[] {
  return tokenize(text).tokens.filter(({ kind }) => kind !== "comment" && kind !== "newline");
}

function splitAtCommas(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const parts: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    if (token.kind === "punctuation" && "([{".includes(token.text)) depth++;
    if (token.kind === "punctuation" && ")]}".includes(token.text)) depth--;
    if (token.kind === "punctuation" && token.text === "," && depth === 0) parts.push([]);
    else parts.at(-1)?.push(token);
  }
  return parts;
}

const units = ["kb", "mb", "gb", "tb", "pb"];

class LiteralReader {
  readonly #tokens: readonly Token[];
  #at = 0;
  #failed = false;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  isDone(): boolean {
    return !this.#failed && this.#at === this.#tokens.length;
  }

  /** Reads one value, or a list of several separated by commas. */
  list(): JsonValue | undefined {
    const first = this.one();
    if (!this.#take(",")) return first;
    const values = [first, this.one()];
    while (this.#take(",")) values.push(this.one());
    return this.#values(values);
  }

  one(): JsonValue | undefined {
    if (this.#take("[")) return this.#cast();
    if (this.#take("(")) {
      const inner = this.list();
      return this.#take(")") ? inner : this.#fail();
    }
    if (this.#take("@")) return this.#collection();
    const token = this.#tokens[this.#at++];
    if (token?.kind === "variable") return this.#constant(token.text.toLowerCase());
    if (token?.kind === "string") return stringValue(token.text) ?? this.#fail();
    const number = token?.kind === "word" ? numberValue(token.text) : undefined;
    return number ?? this.#fail();
  }

  /** A cast such as `[int] 5`: only the value counts, because the parameter has its own type. */
  #cast(): JsonValue | undefined {
    let depth = 1;
    while (depth > 0 && this.#at < this.#tokens.length) {
      const { text } = this.#tokens[this.#at++] ?? { text: "" };
      if (text === "[") depth++;
      if (text === "]") depth--;
    }
    return this.one();
  }

  #collection(): JsonValue | undefined {
    if (this.#take("(")) {
      if (this.#take(")")) return [];
      const inner = this.list();
      if (!this.#take(")")) return this.#fail();
      return Array.isArray(inner) ? inner : this.#values([inner]);
    }
    if (!this.#take("{")) return this.#fail();
    const entries: [string, JsonValue][] = [];
    while (!this.#take("}")) {
      if (this.#take(";")) continue;
      const key = this.#tokens[this.#at++];
      const name = key?.kind === "string" ? stringValue(key.text) : key?.text;
      if (name === undefined || !this.#take("=")) return this.#fail();
      const value = this.list();
      if (value === undefined) return this.#fail();
      entries.push([name, value]);
    }
    return Object.fromEntries(entries);
  }

  #constant(name: string): JsonValue | undefined {
    if (name === "$true") return true;
    if (name === "$false") return false;
    return name === "$null" ? null : this.#fail();
  }

  #values(values: readonly (JsonValue | undefined)[]): JsonValue | undefined {
    const known = values.filter((value) => value !== undefined);
    return known.length === values.length ? known : this.#fail();
  }

  #take(text: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind !== "punctuation" || token.text !== text) return false;
    this.#at++;
    return true;
  }

  #fail(): undefined {
    this.#failed = true;
    return undefined;
  }
}

function numberValue(text: string): number | undefined {
  const match =
    /^([+-]?)(0x[0-9a-f]+|(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)(?:u?[ysln]|u|d)?([kmgtp]b)?$/i.exec(
      text,
    );
  if (match === null) return undefined;
  const [, sign, digits = "", unit = ""] = match;
  const factor = unit === "" ? 1 : 1024 ** (units.indexOf(unit.toLowerCase()) + 1);
  const value = (sign === "-" ? -1 : 1) * Number(digits) * factor;
  const isExact =
    Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
  return isExact ? value : undefined;
}

const escapes: { readonly [char: string]: string } = {
  "0": "\0",
  a: "\u0007",
  b: "\b",
  e: "\u001b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};

/** Returns undefined if the text contains expressions. */
function stringValue(text: string): string | undefined {
  const hereString = /^@(.)[ \t]*\r?\n([^]*?)\r?\n?.@$/.exec(text);
  const isSingle = /^@?['\u2018-\u201b]/.test(text);
  const inner = hereString?.[2] ?? text.slice(1, -1);
  if (isSingle)
    return hereString === null ? inner.replaceAll(/(['\u2018-\u201b])\1/g, "$1") : inner;
  if (/(?:^|[^`])(?:``)*\$[\p{L}\p{N}_({?$^:]/u.test(inner)) return undefined;
  return inner
    .replaceAll(/`(.)/g, (_all, char: string) => escapes[char] ?? char)
    .replaceAll(/(["\u201c-\u201e])\1/g, hereString === null ? "$1" : "$1$1");
}
