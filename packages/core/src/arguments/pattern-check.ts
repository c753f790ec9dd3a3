import { patternCost } from "./pattern-cost.ts";

/**
 * Compiles a pattern on an engine that cannot hang (linear time); undefined where the engine does
 * not know the pattern's syntax.
 */
export type PatternEngine = (source: string) => ((text: string) => boolean) | undefined;

/** Steps of a backtracking engine that are spent on one pattern and text. */
const steps = 1e8;
const maxWays = 1e4;

export type PatternCheck =
  /** JavaScript's own engine will do. */
  | { readonly status: "native" }
  /** `complete`: it answers for every text; otherwise it lets pass what would take too long. */
  | {
      readonly status: "checked";
      readonly test: (text: string) => boolean;
      readonly complete: boolean;
      readonly note?: string;
    }
  | { readonly status: "unchecked"; readonly note: string }
  | { readonly status: "invalid"; readonly message: string };

/** How a pattern from outside can be enforced without a text that makes it hang. */
export function patternCheck(source: string, engine: PatternEngine | undefined): PatternCheck {
  const shown = JSON.stringify(source.slice(0, 100));
  const unicode = regExp(source, "u");
  const native = unicode ?? regExp(source, "");
  const { ways, degree } = patternCost(source);
  const isQuick = ways <= maxWays && degree <= 1;
  if (unicode && isQuick) return { status: "native" };
  if (native && isQuick)
    return { status: "checked", test: (text) => native.test(text), complete: true };
  const test = engine?.(source);
  if (test) return { status: "checked", test, complete: true };
  if (!native)
    return { status: "invalid", message: `The pattern ${shown} is not a regular expression.` };
  const limit = Math.floor((steps / ways) ** (1 / degree));
  if (ways > maxWays || limit < 16) {
    return {
      status: "unchecked",
      note: `The pattern ${shown} could take for ever to test, so it is not enforced.`,
    };
  }
  const note = `The pattern ${shown} could take long to test, so it is enforced on texts of at most ${limit} characters.`;
  return {
    status: "checked",
    test: (text) => text.length > limit || native.test(text),
    complete: false,
    note,
  };
}

function regExp(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}
