import type { ReviewDecision } from "./review.ts";

const namedChars = 60;

/**
 * Why an answer to a review cannot be carried out on this text, in a sentence; undefined where it
 * can. Words that are not there were mistyped, and leaving them out would release what was meant.
 */
export function reviewProblem(answer: ReviewDecision, text: string): string | undefined {
  if (answer.decision !== "redact") return undefined;
  if (answer.words.length === 0)
    return "A redaction names the words to take out; to give the result as it is, release it.";
  const missing = answer.words.find((word) => word === "" || !text.includes(word));
  if (missing === undefined) return undefined;
  if (missing === "") return "A word to take out is empty.";
  const named = missing.length <= namedChars ? missing : `${missing.slice(0, namedChars)}…`;
  return `The result does not contain ${JSON.stringify(named.toWellFormed())}: give the words exactly as they stand in it.`;
}
