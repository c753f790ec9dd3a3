import type { JsonObject } from "../base/json.ts";
import type { ContentPart } from "../model/content-part.ts";
import { isObject } from "../json/json-value.ts";

/** Says that a result waits for a person, and nothing of the result. Plain JSON. */
export interface ReviewNotice {
  readonly id: string;
  readonly callId: string;
  readonly toolId: string;
  /** The tool's bare name and its group's title. */
  readonly toolName: string;
  readonly groupTitle: string;
  /** The call failed; the result is its error. */
  readonly isError: boolean;
  /** Why a person must see it, in words. */
  readonly reason: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/** A result that a person sees before the model does: for the reviewer alone. */
export interface ReviewRequest extends ReviewNotice {
  readonly args: JsonObject;
  readonly text: string;
  /** What the model would get of it. */
  readonly shown: string;
  /** Pictures, files and links that the model would get with it. */
  readonly parts?: readonly ContentPart[];
}

export type ReviewDecision =
  | { readonly decision: "release" }
  /** These words are taken out wherever they stand. Each must occur in the text. */
  | { readonly decision: "redact"; readonly words: readonly string[] }
  /** This stands in its place. */
  | { readonly decision: "replace"; readonly text: string }
  | {
      readonly decision: "withhold";
      readonly reason?: string;
      /** `system`: nobody answered, or nobody could be asked. @default "person" */
      readonly by?: "person" | "system";
    };

/** How a library user answers; `pending` means that the answer comes later. */
export type ReviewAnswer = ReviewDecision | { readonly decision: "pending" };

/** What each answer makes of a result. */
export const reviewOutcomes = {
  release: "released",
  redact: "redacted",
  replace: "replaced",
  withhold: "withheld",
} as const satisfies { readonly [decision in ReviewDecision["decision"]]: string };

/** What was done with a result under review, without anything of it. */
export interface ReviewOutcome {
  readonly outcome: (typeof reviewOutcomes)[ReviewDecision["decision"]];
  readonly by: "person" | "system";
  /** Why it was withheld. */
  readonly reason?: string;
}

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

/** What stands where words were taken out. */
const mark = "[redacted]";

/**
 * What is left of a text once these words are out, wherever they stand, each within another or
 * overlapping it, too.
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

/** The pieces that words stand in, in order; what overlaps or touches is one. */
function covered(text: string, words: readonly string[]): readonly Range[] {
  const found: Range[] = [];
  for (const word of words) {
    if (word === "") continue;
    for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
      const last = found.at(-1);
      // A word that overlaps itself would else be noted at every character.
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
