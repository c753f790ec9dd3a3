import { compileRegex, literalPattern } from "../text/linear-regex.ts";
import { patternLimitProblem } from "../text/pattern-limit.ts";

export interface LinePattern {
  readonly query: string;
  readonly regex: boolean;
  readonly ignoreCase: boolean;
}

export type LineMatcher =
  | {
      readonly status: "compiled";
      /**
       * The range of the first match, `undefined` if there is none, or `too_long` if matching the
       * line would block the event loop.
       */
      readonly match: (line: string) => LineMatch | undefined | "too_long";
    }
  | { readonly status: "invalid"; readonly message: string };

export interface LineMatch {
  readonly start: number;
  readonly end: number;
}

/**
 * The limit for one line, in pattern instructions × characters: some tens of milliseconds at worst.
 */
const mostSteps = 2_000_000;

/** Matches a line against a literal or an RE2 pattern. */
export function lineMatcher({ query, regex, ignoreCase }: LinePattern): LineMatcher {
  if (!regex && !ignoreCase) {
    return {
      status: "compiled",
      match: (line) => {
        const start = line.indexOf(query);
        return start < 0 ? undefined : { start, end: start + query.length };
      },
    };
  }
  const problem = regex ? patternLimitProblem(query) : undefined;
  if (problem !== undefined) return { status: "invalid", message: problem };
  const compiled = compileRegex(regex ? query : literalPattern(query), { ignoreCase });
  if (compiled.status === "invalid") return compiled;
  return {
    status: "compiled",
    match: (line) => {
      if (compiled.size * line.length > mostSteps) return "too_long";
      const matcher = compiled.regex.matcher(line);
      return matcher.find() ? { start: matcher.start(), end: matcher.end() } : undefined;
    },
  };
}
