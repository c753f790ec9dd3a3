import type { JsonObject } from "../base/json.ts";
import type { Annotation } from "../model/annotation.ts";
import type { ContentPart } from "../model/content-part.ts";
import { isObject } from "../json/json-value.ts";

/** Announces that a result waits for a user. Contains nothing of the result. Plain JSON. */
export interface ReviewNotice {
  readonly id: string;
  readonly callId: string;
  readonly toolId: string;
  /** The tool's bare name and its group's title. */
  readonly toolName: string;
  readonly groupTitle: string;
  /** The call failed; the result is its error. */
  readonly isError: boolean;
  /** The reason why a user must review it. */
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A result that a user must review before the model reads it. Only for the reviewer. */
export interface ReviewRequest extends ReviewNotice {
  readonly args: JsonObject;
  readonly text: string;
  /** The text that the model would get. */
  readonly shown: string;
  /** Images, files and links that the model would get with the text. */
  readonly parts?: readonly ContentPart[];
  /** The sources that the assistant's message would cite. */
  readonly annotations?: readonly Annotation[];
}

/** A reviewer's decision on a result. */
export type ReviewDecision =
  | { readonly decision: "release" }
  /** These words are removed at every occurrence. Each must occur in the text. */
  | { readonly decision: "redact"; readonly words: readonly string[] }
  /** This text replaces the result. */
  | { readonly decision: "replace"; readonly text: string }
  | {
      readonly decision: "withhold";
      readonly reason?: string;
      /** `system`: no user answered or could be asked. @default "person" */
      readonly by?: "person" | "system";
    };

/** A reviewer's answer; `pending` means that the answer comes later. */
export type ReviewAnswer = ReviewDecision | { readonly decision: "pending" };

/** Maps each decision to its outcome. */
export const reviewOutcomes = {
  release: "released",
  redact: "redacted",
  replace: "replaced",
  withhold: "withheld",
} as const satisfies { readonly [decision in ReviewDecision["decision"]]: string };

/** The outcome of a review. Contains nothing of the result. */
export interface ReviewOutcome {
  readonly outcome: (typeof reviewOutcomes)[ReviewDecision["decision"]];
  readonly by: "person" | "system";
  /** The reason why it was withheld. */
  readonly reason?: string;
}

const namedChars = 60;

/**
 * Returns a sentence that says why a value is not a `ReviewDecision`, or undefined if it is one.
 * The value is untrusted.
 */
export function reviewShapeProblem(answer: unknown): string | undefined {
  const given = isObject(answer) ? answer : {};
  switch (given["decision"]) {
    case "release":
      return undefined;
    case "withhold": {
      const { reason } = given;
      return reason === undefined || typeof reason === "string"
        ? undefined
        : "reason: expected a text with the reason.";
    }
    case "redact":
      return isTexts(given["words"]) ? undefined : "words: expected a list of texts to remove.";
    case "replace":
      return typeof given["text"] === "string" ? undefined : "text: expected the replacement text.";
    default:
      return "decision: expected release, redact, replace or withhold.";
  }
}

/**
 * Returns a sentence that says why a review's answer cannot be applied to this text, or undefined
 * if it can. Words that the text does not contain are errors: if they were ignored, the text that
 * the reviewer wanted to remove would be released.
 *
 * @param answer not validated
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
    return "A redaction requires the words to remove. To give the model the unchanged result, release it.";
  const missing = words.find((word) => word === "" || !text.includes(word));
  if (missing === undefined) return undefined;
  if (missing === "") return "A word to remove is empty.";
  const named = missing.length <= namedChars ? missing : `${missing.slice(0, namedChars)}…`;
  return `The result does not contain ${JSON.stringify(named.toWellFormed())}: enter the words exactly as they appear in it.`;
}

/** Replaces removed words. */
const mark = "[redacted]";

/**
 * Returns a text without the given words, at every occurrence, also if they contain or overlap each
 * other.
 *
 * @example redact("tulip, tulips", ["tulip"]) // "[redacted], [redacted]s"
 */
export function redact(text: string, words: readonly string[]): string {
  let left = "";
  let end = 0;
  for (const range of covered(text, words)) {
    left += text.slice(end, range.start) + mark;
    end = range.end;
  }
  return left + text.slice(end);
}

interface Range {
  readonly start: number;
  end: number;
}

/** Returns the ranges of the words in order; overlapping and adjacent ranges are merged. */
function covered(text: string, words: readonly string[]): readonly Range[] {
  const found: Range[] = [];
  for (const word of words) {
    if (word === "") continue;
    for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
      const last = found.at(-1);
      // Otherwise a word that overlaps itself would add a range at every character.
      if (last !== undefined && last.start <= at && at <= last.end)
        last.end = Math.max(last.end, at + word.length);
      else found.push({ start: at, end: at + word.length });
    }
  }
  const merged: Range[] = [];
  for (const range of found.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last !== undefined && range.start <= last.end) last.end = Math.max(last.end, range.end);
    else merged.push({ ...range });
  }
  return merged;
}
