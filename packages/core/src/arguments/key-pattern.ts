import { notOnLong, regExp } from "./pattern-check.ts";
import { type PatternCost, patternCost, stepsOf } from "./pattern-cost.ts";

const maxWays = 1e4;
const maxStepsAtOnce = 1e5;

/** How a pattern of keys (`patternProperties`) can be enforced; JavaScript's own engine tests it. */
export type KeyPattern =
  | { readonly status: "native" }
  /** To be counted before it is tried: `keySteps`. */
  | { readonly status: "counted"; readonly cost: PatternCost; readonly note: string }
  | { readonly status: "unchecked"; readonly note: string }
  | { readonly status: "invalid"; readonly message: string };

export function keyPattern(source: string): KeyPattern {
  const shown = JSON.stringify(source.slice(0, 100));
  if (!regExp(source, "u")) {
    if (!regExp(source, ""))
      return { status: "invalid", message: `The pattern ${shown} is not a regular expression.` };
    const note = `The pattern ${shown} is valid without the flag u only, so it is not enforced on keys.`;
    return { status: "unchecked", note };
  }
  const cost = patternCost(source);
  if (cost.degree <= 1 && cost.ways <= 16) return { status: "native" };
  if (cost.ways > maxWays) {
    const note = `The pattern ${shown} could take for ever to test, so it is not enforced on keys.`;
    return { status: "unchecked", note };
  }
  return { status: "counted", cost, note: `The pattern ${shown} ${notOnLong(cost)}.` };
}

/** Steps that testing all keys of a value against the patterns takes at most. */
export function keySteps(value: unknown, costs: readonly PatternCost[]): number {
  if (typeof value !== "object" || value === null) return 0;
  let steps = 0;
  for (const member of Object.values(value)) steps += keySteps(member, costs);
  if (Array.isArray(value)) return steps;
  for (const key of Object.keys(value))
    for (const cost of costs) steps += stepsOf(cost, key.length);
  return steps;
}

/** Whether a key matches; undefined where that would take too long to say. */
export function matchesKey(source: string, key: string): boolean | undefined {
  if (stepsOf(patternCost(source), key.length) > maxStepsAtOnce) return undefined;
  return regExp(source, "u")?.test(key);
}
