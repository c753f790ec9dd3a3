import { isObject } from "../../json/json-value.ts";
import { listProblem, type ShapeProblem, textProblem } from "../../model/shape-problem.ts";
import type { ChainResume } from "./tool-chain-options.ts";

/** What of the answers that a chain is carried on with is none. */
export function resumeProblem({
  answers = [],
  reviews = [],
  outputs = [],
}: ChainResume): ShapeProblem | undefined {
  return (
    listProblem(answers, "answers", decisionIn(["allow", "refuse"])) ??
    listProblem(reviews, "reviews", decisionIn(["release", "redact", "replace", "withhold"])) ??
    listProblem(outputs, "outputs", output)
  );
}

function decisionIn(words: readonly unknown[]) {
  return (value: unknown, path: string): ShapeProblem | undefined => {
    if (!isObject(value)) return { path, value, expected: "an answer to a call" };
    const { decision } = value;
    if (!isObject(decision))
      return { path: `${path}.decision`, value: decision, expected: "a decision" };
    const word = decision["decision"];
    if (words.includes(word)) return textProblem(value, "callId", path);
    return { path: `${path}.decision.decision`, value: word, expected: words.join(" or ") };
  };
}

function output(value: unknown, path: string): ShapeProblem | undefined {
  if (!isObject(value)) return { path, value, expected: "a call's output" };
  return textProblem(value, "callId", path) ?? textProblem(value, "output", path);
}
