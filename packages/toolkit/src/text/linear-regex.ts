import type * as Re2 from "re2js";
import type { RE2JS } from "re2js";
import { createRequire } from "node:module";

export type CompiledRegex =
  | { readonly status: "compiled"; readonly regex: RE2JS; readonly size: number }
  | { readonly status: "invalid"; readonly message: string };

export interface RegexFlags {
  readonly ignoreCase?: boolean;
  /** `^` and `$` match at every line. */
  readonly multiline?: boolean;
  /** `.` also matches line ends. */
  readonly dotAll?: boolean;
}

const longestPattern = 2_000;

/**
 * Compiles a pattern for RE2: one search takes linear time in the text, whatever the pattern.
 * `size` is the number of its instructions; `size × text` bounds the steps of a search.
 */
export function compileRegex(pattern: string, flags: RegexFlags = {}): CompiledRegex {
  if (pattern.length > longestPattern) {
    return {
      status: "invalid",
      message: `The pattern has ${pattern.length} characters; ${longestPattern} are allowed. Use a shorter one.`,
    };
  }
  const { RE2JS, RE2JSException } = loadRe2();
  const bits =
    (flags.ignoreCase === true ? RE2JS.CASE_INSENSITIVE : 0) |
    (flags.multiline === true ? RE2JS.MULTILINE : 0) |
    (flags.dotAll === true ? RE2JS.DOTALL : 0);
  try {
    const regex = RE2JS.compile(pattern, bits);
    return { status: "compiled", regex, size: regex.programSize() };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return { status: "invalid", message: explain(pattern, error.message) };
  }
}

export function literalPattern(text: string): string {
  return loadRe2().RE2JS.quote(text);
}

/** Syntax of other engines that a linear-time engine cannot support. */
const unsupported: readonly (readonly [RegExp, string])[] = [
  [/\(\?<?[=!]/, "lookahead and lookbehind, (?=…) (?!…) (?<=…) (?<!…), are"],
  [/\\[1-9]|\\k[<{']|\(\?P=/, "backreferences, \\1 or \\k<name>, are"],
  [/\(\?>|[*+?}]\+/, "atomic groups and possessive repetition, (?>…) a++, are"],
  [/\(\?\(|\(\?R\)|\(\?\d/, "conditions and recursion are"],
];

function explain(pattern: string, message: string): string {
  const what = message.replace(/^error parsing regexp: /, "");
  const cause = unsupported.find(([look]) => look.test(pattern));
  if (cause === undefined) return `The pattern is invalid: ${what}. Use RE2 syntax.`;
  return `The pattern cannot be used: ${what}. Patterns are RE2, which runs in linear time, and in RE2 ${cause[1]} unsupported. Match a longer text, and capture the part that you need with a group (…).`;
}

let re2: typeof Re2 | undefined;

/** Loads RE2 at the first use, because it takes 10 ms and 5 MB, and most servers never need it. */
export function loadRe2(): typeof Re2 {
  re2 ??= createRequire(import.meta.url)("re2js") as typeof Re2;
  return re2;
}
