import { isObject } from "../json/json-value.ts";
import type { ReviewDecision } from "./review.ts";

const namedChars = 60;

/** Why something is no `ReviewDecision`, in a sentence. Nothing is known of it: it comes from outside. */
export function reviewShapeProblem(answer: unknown): string | undefined {
  const given = isObject(answer) ? answer : {};
  switch (given["decision"]) {
    case "release":
      return undefined;
    case "withhold": {
      const { reason } = given;
      return reason === undefined || typeof reason === "string"
        ? undefined
        : "reason: expected words that say why.";
    }
    case "redact":
      return isTexts(given["words"]) ? undefined : "words: expected a list of texts to take out.";
    case "replace":
      return typeof given["text"] === "string" ? undefined : "text: expected what stands instead.";
    default:
      return "decision: expected release, redact, replace or withhold.";
  }
}

/**
 * Why an answer to a review cannot be carried out on this text, in a sentence; undefined where it
 * is a `ReviewDecision` that can. Words that are not there were mistyped, and leaving them out
 * would release what was meant.
 *
 * @param answer from outside: nothing is known of it
 */
export function reviewProblem(answer: unknown, text: string): string | undefined {
  const problem = reviewShapeProblem(answer);
  if (problem !== undefined) return problem;
  const decision = answer as ReviewDecision;
  return decision.decision === "redact" ? wordsProblem(decision.words, text) : undefined;
}

function isTexts(words: unknown): boolean {
  return Array.isArray(words) && words.every((word: unknown) => typeof word === "string");
}

function wordsProblem(words: readonly string[], text: string): string | undefined {
  if (words.length === 0)
    return "A redaction names the words to take out; to give the result as it is, release it.";
  const missing = words.find((word) => word === "" || !text.includes(word));
  if (missing === undefined) return undefined;
  if (missing === "") return "A word to take out is empty.";
  const named = missing.length <= namedChars ? missing : `${missing.slice(0, namedChars)}…`;
  return `The result does not contain ${JSON.stringify(named.toWellFormed())}: give the words exactly as they stand in it.`;
}
