import type { JsonObject } from "../model/json.ts";
import type { RegisteredTool } from "../tool/registry.ts";
import type { ResultApprovalPolicy } from "./policy.ts";
import { type PolicyRule, resultRule } from "./rule.ts";

/** A result that a person sees before the model does. */
export interface ReviewRequest {
  readonly callId: string;
  readonly toolId: string;
  readonly toolName: string;
  readonly args: JsonObject;
  /** The call failed; the text is its error. */
  readonly isError: boolean;
  /** The whole. */
  readonly text: string;
  /** What the model would get of it. */
  readonly shown: string;
}

export type ReviewDecision =
  | { readonly decision: "release" }
  /** These words are taken out wherever they stand. */
  | { readonly decision: "redact"; readonly words: readonly string[] }
  /** This stands in its place. */
  | { readonly decision: "replace"; readonly text: string }
  | { readonly decision: "withhold"; readonly reason?: string };

export interface ReviewPolicy {
  readonly registered: RegisteredTool;
  readonly isError: boolean;
  readonly rules: readonly PolicyRule[];
  readonly overrides: readonly PolicyRule[];
  /** False lifts the tool's own wish, never a rule. */
  readonly checkToolResults: boolean;
}

/** Whether a person must see this result first: by a rule, an override, or the tool's own wish. */
export function isReviewDue(policy: ReviewPolicy): boolean {
  const { registered, isError, rules, overrides, checkToolResults } = policy;
  const rule =
    resultRule(rules, registered.id)?.result ?? resultRule(overrides, registered.id)?.result;
  const own = checkToolResults ? registered.tool.permission?.resultApprovalPolicy : "never";
  return asks(rule ?? own ?? "never", isError);
}

/** What is left of a text once these words are out. */
export function redact(text: string, words: readonly string[]): string {
  return words.reduce(
    (left, word) => (word === "" ? left : left.replaceAll(word, "[redacted]")),
    text,
  );
}

function asks(policy: ResultApprovalPolicy, isError: boolean): boolean {
  return policy === "always" || (policy === "on-error" && isError);
}
