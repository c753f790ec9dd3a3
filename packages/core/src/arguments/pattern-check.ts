import { patternCost, stepsOf } from "./pattern-cost.ts";

/**
 * Compiles a pattern on an engine that cannot hang (linear time); undefined where the engine does
 * not know the pattern's syntax. It has to match what JavaScript's own would.
 */
export type PatternEngine = (source: string) => ((text: string) => boolean) | undefined;

/** Steps of a backtracking engine that one validation spends on costly patterns. */
export const maxPatternSteps = 1e8;
/** What one pattern may cost without being counted, on all the texts of large arguments. */
const quickWays = [1_000, 100] as const;
const maxWays = 1e4;

/** Steps that the running validation has left. */
export interface StepBudget {
  left: number;
}

/** Thrown by a pattern's test where the budget does not suffice. */
export class OutOfSteps extends Error {
  override readonly name = "OutOfSteps";
}

export type PatternCheck =
  /** JavaScript's own engine will do. */
  | { readonly status: "native" }
  | {
      readonly status: "checked";
      /** @throws OutOfSteps where it would take too long. */
      readonly test: (text: string) => boolean;
      /** Says that it may not be enforced. */
      readonly note?: string;
    }
  | { readonly status: "unchecked"; readonly note: string }
  | { readonly status: "invalid"; readonly message: string };

/** How a pattern from outside can be enforced without a text that makes it hang. */
export function patternCheck(
  source: string,
  { engine, budget }: { engine?: PatternEngine | undefined; budget: StepBudget },
): PatternCheck {
  const shown = JSON.stringify(source.slice(0, 100));
  const unicode = regExp(source, "u");
  const native = unicode ?? regExp(source, "");
  if (!native) {
    // What another language calls a regular expression, the engine may know.
    const linear = engine?.(source);
    if (linear) return { status: "checked", test: linear };
    return { status: "invalid", message: `The pattern ${shown} is not a regular expression.` };
  }
  const cost = patternCost(source);
  if (cost.degree <= 1 && cost.ways <= (quickWays[cost.degree] ?? 0)) {
    return unicode
      ? { status: "native" }
      : { status: "checked", test: (text) => native.test(text) };
  }
  const linear = engine?.(source);
  if (cost.ways > maxWays) {
    if (linear) return { status: "checked", test: linear };
    const note = `The pattern ${shown} could take for ever to test, so it is not enforced.`;
    return { status: "unchecked", note };
  }
  const test = (text: string): boolean => {
    const steps = stepsOf(cost, text.length);
    if (steps <= budget.left) {
      budget.left -= steps;
      return native.test(text);
    }
    if (!linear) throw new OutOfSteps();
    return linear(text);
  };
  if (linear) return { status: "checked", test };
  return { status: "checked", test, note: `The pattern ${shown} ${notOnLong(cost)}.` };
}

/** Says from which length on a pattern is not enforced. */
export function notOnLong(cost: { readonly ways: number; readonly degree: number }): string {
  const limit = Math.floor((maxPatternSteps / cost.ways) ** (1 / cost.degree));
  return `could take long to test, so it is not enforced on texts of more than ${limit} characters`;
}

export function regExp(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}
