/** A token, with its positions. */
export interface Token {
  readonly kind: "comment" | "string" | "variable" | "word" | "punctuation" | "newline";
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** The tokens and comments of a source. */
export interface Tokens {
  readonly tokens: readonly Token[];
  readonly unclosed: readonly { readonly what: string; readonly at: number }[];
}

/**
 * The pattern of a token. A token that is never closed reaches to the end of the source, and then a
 * group of its pattern matches.
 */
interface Rule {
  readonly kind: Token["kind"] | "space";
  readonly pattern: RegExp;
  readonly what?: string;
}

/** The first matching rule counts; strings in double quotes come before the last two. */
const rules: readonly Rule[] = [
  { kind: "newline", pattern: /\n/y },
  { kind: "space", pattern: /[\s\ufeff]|`(?:\r\n|[^])?/y },
  { kind: "comment", pattern: /#[^\n]*?(?=\r?\n|$)/y },
  { kind: "comment", pattern: /<#[^]*?(?:#>|($))/y, what: "A comment" },
  {
    kind: "string",
    pattern: /@['\u2018-\u201b][ \t]*\r?\n[^]*?(?:(?<=\n)['\u2018-\u201b]@|($))/y,
    what: "A here-string",
  },
  {
    kind: "string",
    pattern: /@["\u201c-\u201e][ \t]*\r?\n[^]*?(?:(?<=\n)["\u201c-\u201e]@|($))/y,
    what: "A here-string",
  },
  {
    kind: "string",
    pattern:
      /['\u2018-\u201b][^'\u2018-\u201b]*(?:['\u2018-\u201b]{2}[^'\u2018-\u201b]*)*(?:['\u2018-\u201b]|($))/y,
    what: "A string",
  },
  {
    kind: "variable",
    pattern: /\$(?:\{[^}]{0,300}\}|[\p{L}\p{N}_?:]*[\p{L}\p{N}_?]|[$^])/uy,
  },
  // PowerShell passes the rest of a command line after `--%` on unchanged (about_Parsing).
  { kind: "word", pattern: /(?<=[ \t])--%[^\r\n|]*/y },
  { kind: "punctuation", pattern: /[ \t\r\n{}()[\];,|&<>=$@`]/y },
  { kind: "word", pattern: /[^ \t\r\n{}()[\];,|&<>=$@`'"\u2018-\u201e]+/y },
];

/**
 * Returns PowerShell's tokens, precise enough to find where constructs begin and end. It never
 * fails.
 */
export function tokenize(source: string): Tokens {
  const tokens: Token[] = [];
  const unclosed: { readonly what: string; readonly at: number }[] = [];
  for (let at = 0; at < source.length;) {
    const { kind, end, isOpen, what } = nextToken(source, at);
    if (isOpen) unclosed.push({ what, at });
    if (kind !== "space") tokens.push({ kind, text: source.slice(at, end), start: at, end });
    at = end;
  }
  return { tokens, unclosed };
}

function nextToken(source: string, at: number) {
  if (/["\u201c-\u201e]/.test(source.charAt(at))) {
    const end = endOfString(source, at);
    return {
      kind: "string",
      end: end ?? source.length,
      isOpen: end === undefined,
      what: "A string",
    } as const;
  }
  for (const { kind, pattern, what = "" } of rules) {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    if (match !== null)
      return { kind, end: pattern.lastIndex, isOpen: match[1] !== undefined, what };
  }
  return { kind: "word", end: at + 1, isOpen: false, what: "" } as const;
}

/**
 * Returns the end of a string in double quotes, whose subexpressions may contain other strings, or
 * undefined if it has none.
 */
function endOfString(source: string, start: number): number | undefined {
  const plain = /(?:[^`$"\u201c-\u201e]+|`[^]|\$(?!\()|["\u201c-\u201e]{2})*/y;
  for (let at = start + 1; ;) {
    plain.lastIndex = at;
    plain.test(source);
    at = plain.lastIndex;
    if (/["\u201c-\u201e]/.test(source.charAt(at))) return at + 1;
    if (!source.startsWith("$(", at)) return undefined;
    at = endOfSubexpression(source, at + 1);
  }
}

/** Returns the position after the `)` that closes the `(` at `open`. */
function endOfSubexpression(source: string, open: number): number {
  let depth = 0;
  for (let at = open; at < source.length;) {
    const { kind, end } = nextToken(source, at);
    if (kind === "punctuation" && source[at] === "(") depth++;
    if (kind === "punctuation" && source[at] === ")" && --depth === 0) return end;
    at = end;
  }
  return source.length;
}
