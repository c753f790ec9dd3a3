import { GrammarError } from "./grammar-error.ts";

/** A token of a grammar's text. */
export interface GrammarToken {
  readonly type:
    | "name"
    | "string"
    | "regex"
    | "number"
    | "symbol"
    | "directive"
    | "line_end"
    | "end";
  readonly text: string;
  readonly line: number;
}

const patterns: readonly (readonly [GrammarToken["type"] | "space", RegExp])[] = [
  ["space", /[ \t\r]+|\/\/[^\n]*|#[^\n]*/y],
  ["line_end", /\n/y],
  ["directive", /%[a-z]+/y],
  ["name", /_*[A-Za-z][A-Za-z0-9_]*/y],
  ["string", /"(?:[^"\\\n]|\\.)*"i?/y],
  ["regex", /\/(?!\/)(?:[^/\\\n]|\\.)+\/[a-z]*/y],
  ["number", /-?\d+/y],
  ["symbol", /->|\.\.|[:|()[\]?*+~.,{}!]/y],
];

/**
 * Splits the text of a grammar into tokens. Line ends inside parentheses and before `|` are
 * dropped, because a rule continues there.
 *
 * @throws GrammarError
 */
export function readTokens(text: string): readonly GrammarToken[] {
  const tokens: GrammarToken[] = [];
  let line = 1;
  let depth = 0;
  for (let at = 0; at < text.length;) {
    const [type, found] = next(text, at) ?? [];
    if (type === undefined || found === undefined) {
      const rest = JSON.stringify(text.slice(at, at + 20));
      throw new GrammarError(`${rest} is not part of the syntax of Lark grammars.`, line);
    }
    at += found.length;
    if (type === "space") continue;
    if (type === "line_end") {
      if (depth === 0 && tokens.at(-1)?.type !== "line_end")
        tokens.push({ type, text: "\n", line });
      line++;
      continue;
    }
    if (found === "(" || found === "[") depth++;
    if (found === ")" || found === "]") depth--;
    if (found === "|" && tokens.at(-1)?.type === "line_end") tokens.pop();
    tokens.push({ type, text: found, line });
  }
  tokens.push({ type: "line_end", text: "\n", line }, { type: "end", text: "the end", line });
  return tokens;
}

function next(text: string, at: number) {
  for (const [type, pattern] of patterns) {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) return [type, found] as const;
  }
  return undefined;
}
