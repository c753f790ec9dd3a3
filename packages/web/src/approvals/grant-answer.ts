import type { ExecutionAnswerBody } from "@capstan/contract";
import { parseJsonObject } from "../format/json-text.ts";
import type { ApprovalRequest } from "../run/run-event.ts";
import { approvalsTexts } from "../texts/approvals.ts";

/** The user's choice for an approval of more than one call. */
export interface GrantChoice {
  readonly covers: "offer" | "arguments" | "pattern" | "tool";
  /** Conditions by argument, as JSON; for `pattern`. */
  readonly pattern: string;
  readonly scope: "session" | "always";
  readonly until: "revoked" | "hour" | "midnight";
}

type Cover = NonNullable<ExecutionAnswerBody["covers"]>;
type Pattern = Extract<Cover, { readonly type: "pattern" }>["when"];
type Offered = Pick<ApprovalRequest, "toolName" | "grant">;

/** The default choice: the calls that the tool offers, in this chat, until it is revoked. */
export function defaultGrantChoice(approval: Pick<ApprovalRequest, "args" | "grant">): GrantChoice {
  const pattern = JSON.stringify(suggestedPattern(approval), null, 2);
  return { covers: "offer", pattern, scope: "session", until: "revoked" };
}

/** The tool's own pattern, else one that matches only these arguments, which the user can widen. */
function suggestedPattern({ args, grant }: Pick<ApprovalRequest, "args" | "grant">): object {
  if (grant?.when !== undefined) return grant.when;
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, { equals: value }]));
}

/** Returns the error in a choice's pattern, or `undefined`. */
export function patternProblem({ covers, pattern }: GrantChoice): string | undefined {
  const parsed = parseJsonObject(pattern);
  return covers === "pattern" && parsed.type === "invalid" ? parsed.message : undefined;
}

/**
 * Returns the calls that a choice covers. The server requires this scope in addition to the
 * accepted offer.
 */
export function grantCover(
  { covers, pattern }: GrantChoice,
  { grant }: Pick<Offered, "grant">,
): Cover {
  if (covers === "offer" && grant?.key === undefined && grant?.when === undefined)
    return { type: "tool" };
  if (covers !== "pattern") return { type: covers };
  const parsed = parseJsonObject(pattern);
  // The server checks the conditions.
  return { type: "pattern", when: (parsed.type === "object" ? parsed.value : {}) as Pattern };
}

/** Returns the answer to send. */
export function grantAnswer(
  choice: GrantChoice,
  approval: Offered,
  now: number,
): ExecutionAnswerBody {
  const expiresAt = endOf(choice.until, now);
  return {
    decision: "allow",
    scope: choice.scope,
    covers: grantCover(choice, approval),
    ...(expiresAt !== undefined && { expiresAt }),
  };
}

/** Whether a choice needs confirmation: the tool does more than read, or the choice covers all of its calls. */
export function needsConfirmation(
  choice: GrantChoice,
  approval: Pick<ApprovalRequest, "readOnly">,
): boolean {
  return approval.readOnly !== true || choice.covers === "tool";
}

interface GrantWords {
  readonly calls: string;
  readonly where: string;
  readonly until: string;
}

/** Describes in words the calls that a choice covers. */
export function grantWords(
  { covers, scope, until }: GrantChoice,
  { toolName, grant }: Offered,
): GrantWords {
  const calls = {
    offer: grant?.title ?? approvalsTexts.grant.everyCall(toolName),
    arguments: approvalsTexts.grant.sameArguments(toolName),
    pattern: approvalsTexts.grant.pattern(toolName),
    tool: approvalsTexts.grant.everyCall(toolName),
  }[covers];
  return {
    calls,
    where: approvalsTexts.grant.scopes[scope],
    until: approvalsTexts.grant.ends[until],
  };
}

/** Describes the choice in one sentence, before it is sent. */
export function grantChoiceText(choice: GrantChoice, approval: Offered): string {
  const { calls, where, until } = grantWords(choice, approval);
  return approvalsTexts.grant.summary(calls, where, until);
}

function endOf(until: GrantChoice["until"], now: number): number | undefined {
  if (until === "revoked") return undefined;
  return until === "hour" ? now + 60 * 60 * 1_000 : new Date(now).setHours(24, 0, 0, 0);
}
