import { z } from "zod/mini";
import { type SchemaProblem, schemaProblem } from "../../json/schema-problem.ts";
import type { ChainResume } from "./tool-chain-options.ts";

const callId = z.string("text");

function answersWith<const Words extends readonly [string, ...string[]]>(...words: Words) {
  const decision = z.looseObject({ decision: z.enum(words, words.join(" or ")) }, "a decision");
  return z.array(z.looseObject({ callId, decision }, "the answer to a call"), "a list");
}

const resume = z.looseObject({
  answers: z.optional(answersWith("allow", "refuse")),
  reviews: z.optional(answersWith("release", "redact", "replace", "withhold")),
  outputs: z.optional(
    z.array(z.looseObject({ callId, output: z.string("text") }, "the output of a call"), "a list"),
  ),
});

/** Returns what is wrong with the answers that a chain is to resume with, or `undefined`. */
export function resumeProblem({
  answers,
  reviews,
  outputs,
}: ChainResume): SchemaProblem | undefined {
  const problem = schemaProblem(resume, { answers, reviews, outputs }, "");
  // The answers are named without the object that holds them.
  return problem && { ...problem, path: problem.path.slice(1) };
}
