import { GrammarError } from "./grammar-error.ts";
import { type GrammarToken, readTokens } from "./read-tokens.ts";

/** A part of a rule or of a terminal. */
export type Expression =
  | { readonly type: "name"; readonly name: string; readonly line: number }
  | { readonly type: "string"; readonly text: string; readonly anyCase: boolean }
  | {
      readonly type: "regex";
      readonly source: string;
      readonly flags: string;
      readonly line: number;
    }
  | { readonly type: "range"; readonly from: string; readonly to: string }
  | { readonly type: "sequence" | "choice"; readonly parts: readonly Expression[] }
  | {
      readonly type: "repeat";
      readonly part: Expression;
      readonly min: number;
      readonly max: number;
    };

/** The definitions of a grammar. Terminals have names in capitals. */
export interface Grammar {
  readonly rules: ReadonlyMap<string, Expression>;
  readonly terminals: ReadonlyMap<string, Expression>;
  /** Expressions that may occur between any two terminals. */
  readonly ignored: readonly Expression[];
}

/** The terminals of Lark's module `common` that grammars usually import. */
const common: { readonly [name: string]: string } = {
  DIGIT: "[0-9]",
  HEXDIGIT: "[a-fA-F0-9]",
  INT: "[0-9]+",
  SIGNED_INT: "[+-]?[0-9]+",
  DECIMAL: "[0-9]+\\.[0-9]*|\\.[0-9]+",
  FLOAT: "[0-9]+[eE][+-]?[0-9]+|(?:[0-9]+\\.[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?",
  NUMBER: "[0-9]+(?:[eE][+-]?[0-9]+)?|(?:[0-9]+\\.[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?",
  SIGNED_NUMBER:
    "[+-]?(?:[0-9]+(?:[eE][+-]?[0-9]+)?|(?:[0-9]+\\.[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?)",
  SIGNED_FLOAT: "[+-]?(?:[0-9]+[eE][+-]?[0-9]+|(?:[0-9]+\\.[0-9]*|\\.[0-9]+)(?:[eE][+-]?[0-9]+)?)",
  LCASE_LETTER: "[a-z]",
  UCASE_LETTER: "[A-Z]",
  LETTER: "[a-zA-Z]",
  WORD: "[a-zA-Z]+",
  CNAME: "[_a-zA-Z][_a-zA-Z0-9]*",
  ESCAPED_STRING: '"(?:[^"\\\\\\n]|\\\\[^\\n])*"',
  WS_INLINE: "[ \\t]+",
  WS: "[ \\t\\f\\r\\n]+",
  CR: "\\r",
  LF: "\\n",
  NEWLINE: "(?:\\r?\\n)+",
};

/** The maximum number of repetitions in a count. */
const maxRepetitions = 1_000;
/** The maximum number of levels of parentheses. */
const maxDepth = 100;

/**
 * Reads a grammar in the supported part of Lark's syntax: rules, terminals, strings, ranges, regular
 * expressions, `|`, groups, `[ ]`, `?`, `*`, `+`, `~`, aliases, `%ignore`, and `%import` of
 * terminals of `common`.
 *
 * @throws GrammarError that names anything else
 */
export function readGrammar(text: string): Grammar {
  const tokens = readTokens(text);
  const rules = new Map<string, Expression>();
  const terminals = new Map<string, Expression>();
  const ignored: Expression[] = [];
  let at = 0;
  let depth = 0;

  const peek = (): GrammarToken => tokens[at] ?? { type: "end", text: "the end", line: 0 };
  const take = (): GrammarToken => {
    const token = peek();
    at++;
    return token;
  };
  const isAt = (symbol: string): boolean => peek().type === "symbol" && peek().text === symbol;
  const takeIf = (symbol: string): boolean => {
    if (!isAt(symbol)) return false;
    at++;
    return true;
  };
  const expect = (symbol: string): void => {
    if (!takeIf(symbol)) throw unexpected(peek(), JSON.stringify(symbol));
  };
  const takeName = (): GrammarToken => {
    const token = take();
    if (token.type !== "name") throw unexpected(token, "a name");
    return token;
  };

  const choice = (): Expression => {
    if (++depth > maxDepth) throw new GrammarError(`more than ${maxDepth} levels of parentheses.`);
    const parts = [sequence()];
    while (takeIf("|")) parts.push(sequence());
    depth--;
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { type: "choice", parts };
  };
  const sequence = (): Expression => {
    const parts: Expression[] = [];
    while (startsPart(peek())) parts.push(repeated());
    // An alias names a node of the tree, which is not built here.
    if (takeIf("->")) takeName();
    return { type: "sequence", parts };
  };
  const repeated = (): Expression => {
    let part = single();
    for (let operators = 0; ; operators++) {
      if (operators > maxDepth)
        throw new GrammarError(`more than ${maxDepth} repetitions of one part.`);
      if (takeIf("?")) part = { type: "repeat", part, min: 0, max: 1 };
      else if (takeIf("*")) part = { type: "repeat", part, min: 0, max: Infinity };
      else if (takeIf("+")) part = { type: "repeat", part, min: 1, max: Infinity };
      else if (takeIf("~")) {
        const min = count(take());
        const max = takeIf("..") ? count(take()) : min;
        part = { type: "repeat", part, min, max };
      } else return part;
    }
  };
  const single = (): Expression => {
    const token = take();
    const { line } = token;
    if (token.type === "symbol" && (token.text === "(" || token.text === "[")) {
      const part = choice();
      expect(token.text === "(" ? ")" : "]");
      return token.text === "(" ? part : { type: "repeat", part, min: 0, max: 1 };
    }
    if (token.type === "regex") {
      const end = token.text.lastIndexOf("/");
      const [source, flags] = [token.text.slice(1, end), token.text.slice(end + 1)];
      return { type: "regex", source: source.replaceAll("\\/", "/"), flags, line };
    }
    if (token.type === "string") {
      const from = readString(token);
      if (!takeIf("..")) return { type: "string", ...from };
      const to = take();
      if (to.type !== "string") throw unexpected(to, "a string");
      return { type: "range", from: from.text, to: readString(to).text };
    }
    if (isAt("{")) throw new GrammarError("templates, name{…}, are not supported.", line);
    return { type: "name", name: token.text, line };
  };

  const define = (token: GrammarToken): void => {
    const name = token.text;
    if (isAt("{")) throw new GrammarError("templates, name{…}, are not supported.", token.line);
    if (isAt("["))
      throw new GrammarError(`attributes of rules, ${name}[…], are not supported.`, token.line);
    if (takeIf(".") && take().type !== "number") throw unexpected(peek(), "a priority");
    expect(":");
    const target = isTerminal(name) ? terminals : rules;
    if (target.has(name)) throw new GrammarError(`${name} is defined twice.`, token.line);
    target.set(name, choice());
  };
  const importTerminals = (): void => {
    const { text: module, line } = takeName();
    const names: string[] = [];
    const aliases: string[] = [];
    if (takeIf(".")) {
      const { text: name } = takeName();
      names.push(name);
      aliases.push(takeIf("->") ? takeName().text : name);
    } else {
      expect("(");
      do {
        const { text: name } = takeName();
        names.push(name);
        aliases.push(name);
      } while (takeIf(","));
      expect(")");
    }
    for (const [index, name] of names.entries()) {
      const source = module === "common" && Object.hasOwn(common, name) ? common[name] : undefined;
      if (source === undefined)
        throw new GrammarError(
          `%import ${module}.${name} is not supported; there are common.${Object.keys(common).join(", common.")}.`,
          line,
        );
      terminals.set(aliases[index] ?? name, { type: "regex", source, flags: "", line });
    }
  };

  for (let token = take(); token.type !== "end"; token = take()) {
    // `?` and `!` before a rule change the tree, which is not built here.
    if (token.type === "line_end" || token.text === "?" || token.text === "!") continue;
    if (token.type === "name") define(token);
    else if (token.type === "directive" && token.text === "%import") importTerminals();
    else if (token.type === "directive" && token.text === "%ignore") ignored.push(choice());
    else if (token.type === "directive")
      throw new GrammarError(`${token.text} is not supported.`, token.line);
    else throw unexpected(token, "a rule, a terminal or a directive");
    const end = take();
    if (end.type !== "line_end") throw unexpected(end, "the end of the line");
  }
  if (!rules.has("start")) throw new GrammarError("there is no rule named start.");
  return { rules, terminals, ignored };
}

/** Whether a name is a terminal's. */
export function isTerminal(name: string): boolean {
  return name === name.toUpperCase();
}

function startsPart({ type, text }: GrammarToken): boolean {
  if (type === "symbol") return text === "(" || text === "[";
  return type === "name" || type === "string" || type === "regex";
}

function unexpected({ type, text, line }: GrammarToken, expected: string): GrammarError {
  const found = type === "line_end" ? "the end of the line" : JSON.stringify(text.slice(0, 50));
  return new GrammarError(`expected ${expected}, but found ${found}.`, line);
}

function count(token: GrammarToken): number {
  const value = Number(token.text);
  if (token.type !== "number" || value < 0 || value > maxRepetitions)
    throw unexpected(token, `a count from 0 to ${maxRepetitions}`);
  return value;
}

const escapes: { readonly [letter: string]: string } = {
  n: "\n",
  r: "\r",
  t: "\t",
  f: "\f",
  v: "\v",
  b: "\b",
  0: "\0",
};

function readString({ text }: GrammarToken): { readonly text: string; readonly anyCase: boolean } {
  const anyCase = text.endsWith("i");
  const inner = text.slice(1, anyCase ? -2 : -1);
  const read = inner.replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))/gs,
    (_whole, x?: string, u?: string, long?: string, letter?: string) => {
      const code = x ?? u ?? long;
      if (code !== undefined)
        return String.fromCodePoint(Math.min(Number.parseInt(code, 16), 0x10ffff));
      return escapes[letter ?? ""] ?? letter ?? "";
    },
  );
  return { text: read, anyCase };
}
