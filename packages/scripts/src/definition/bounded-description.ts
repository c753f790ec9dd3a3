import type { ScriptFunction, ScriptProblem } from "./script-function.ts";

/** Characters of a tool's description: it is sent with every question to the model. */
export const maxDescriptionChars = 2_000;

/** A function as a model is told of it, and the problem where that is less than was written. */
export function boundedDescription(one: ScriptFunction): {
  readonly function: ScriptFunction;
  readonly problem?: ScriptProblem;
} {
  const { name, description, line } = one;
  if (description.length <= maxDescriptionChars) return { function: one };
  // No half of a pair of surrogates.
  const begin = description.slice(0, maxDescriptionChars - 1).replace(/[\uD800-\uDBFF]$/, "");
  return {
    function: { ...one, description: `${begin}…` },
    problem: {
      severity: "warning",
      line,
      message: `The description of ${name} has ${description.length} characters, and a model is told the first ${maxDescriptionChars}. Shorten it: what it is for, and what to give it.`,
    },
  };
}
