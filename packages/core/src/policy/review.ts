import type { JsonObject, ToolArgs } from "../base/json.ts";
import type { ContentPart } from "../model/content-part.ts";
import type { RegisteredTool } from "../tool/registry.ts";
import type { ResultApprovalPolicy } from "../tool/permission.ts";

import { type PolicyRule, resultRule, resultStrictness } from "./rule.ts";
import { ruledCall } from "./ruled-call.ts";

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
  /** The whole. */
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

export interface ReviewPolicy {
  readonly registered: RegisteredTool;
  readonly args: ToolArgs;
  readonly isError: boolean;
  readonly rules: readonly PolicyRule[];
  readonly overrides: readonly PolicyRule[];
  /** False lifts the tool's own wish, never a rule. */
  readonly checkToolResults: boolean;
}

/** Why a person must see this result first: by a rule, an override, or the tool's own wish. Undefined where nobody must. */
export function reviewReason(policy: ReviewPolicy): string | undefined {
  const { registered, isError, checkToolResults } = policy;
  const { rule, chosen } = ruling(policy);
  const own = checkToolResults ? registered.tool.permission?.resultApprovalPolicy : "never";
  const wish = chosen?.result ?? own ?? "never";
  if (!asks(wish, isError)) return undefined;
  const what = wish === "on-error" ? "its failures" : "its results";
  if (chosen === undefined) return `This tool wants ${what} seen by a person first.`;
  const whose = chosen === rule ? "A rule of the administrator" : "Your own rule";
  const why = chosen.reason === undefined ? "." : `: ${chosen.reason}`;
  return `${whose} wants ${what} seen by a person first${why}`;
}

/** The administrator's rule on this result, and the one that counts. */
function ruling({ registered, args, rules, overrides }: ReviewPolicy): {
  readonly rule?: PolicyRule | undefined;
  readonly chosen?: PolicyRule | undefined;
} {
  if (rules.length === 0 && overrides.length === 0) return unruled;
  const call = ruledCall(registered, args);
  const rule = resultRule(rules, call);
  // The user may see more than the administrator's rule asks for, not less.
  return { rule, chosen: stricter(rule, resultRule(overrides, call)) };
}

const unruled = {};

function stricter(
  one: PolicyRule | undefined,
  other: PolicyRule | undefined,
): PolicyRule | undefined {
  if (one?.result === undefined || other?.result === undefined) return one ?? other;
  return resultStrictness(other.result) > resultStrictness(one.result) ? other : one;
}

function asks(policy: ResultApprovalPolicy, isError: boolean): boolean {
  return policy === "always" || (policy === "on-error" && isError);
}
