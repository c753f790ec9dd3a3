import { isObject } from "../../json/json-type.ts";
import { list, type Problem, text } from "../../model/shape-problem.ts";
import type { ChainResume } from "./tool-chain-options.ts";

/** What of the answers that a chain is carried on with is none. */
export function resumeProblem({
  answers = [],
  reviews = [],
  outputs = [],
}: ChainResume): Problem | undefined {
  return (
    list(answers, "answers", wordOf(["allow", "refuse"])) ??
    list(reviews, "reviews", wordOf(["release", "redact", "replace", "withhold"])) ??
    list(outputs, "outputs", output)
  );
}

function wordOf(words: readonly unknown[]) {
  return (value: unknown, path: string): Problem | undefined => {
    if (!isObject(value)) return { path, value, expected: "an answer to a call" };
    const { decision } = value;
    if (!isObject(decision))
      return { path: `${path}.decision`, value: decision, expected: "a decision" };
    const word = decision["decision"];
    if (words.includes(word)) return text(value, "callId", path);
    return { path: `${path}.decision.decision`, value: word, expected: words.join(" or ") };
  };
}

function output(value: unknown, path: string): Problem | undefined {
  if (!isObject(value)) return { path, value, expected: "a call's output" };
  return text(value, "callId", path) ?? text(value, "output", path);
}
