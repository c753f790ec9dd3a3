import type { ExecutionAnswerBody } from "@capstan/contract";
import { parseJsonObject } from "../format/json-text.ts";
import type { ApprovalRequest } from "../run/run-event.ts";

/** What a person chose for a yes that holds for more than one call. */
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

/** The choice that is shown first: what the tool offers, in this chat, until it is revoked. */
export function defaultGrantChoice(approval: Pick<ApprovalRequest, "args" | "grant">): GrantChoice {
  const pattern = JSON.stringify(suggestedPattern(approval), null, 2);
  return { covers: "offer", pattern, scope: "session", until: "revoked" };
}

/** The tool's own pattern, else one that fits these arguments alone, to widen. */
function suggestedPattern({ args, grant }: Pick<ApprovalRequest, "args" | "grant">): object {
  if (grant?.when !== undefined) return grant.when;
  return Object.fromEntries(Object.entries(args).map(([name, value]) => [name, { equals: value }]));
}

/** What is wrong with a choice's pattern, before it is sent. */
export function patternProblem({ covers, pattern }: GrantChoice): string | undefined {
  const parsed = parseJsonObject(pattern);
  return covers === "pattern" && parsed.type === "invalid" ? parsed.message : undefined;
}

/** Which calls a choice is for. The server wants it said, not only that the offer is taken. */
export function grantCover(
  { covers, pattern }: GrantChoice,
  { grant }: Pick<Offered, "grant">,
): Cover {
  if (covers === "offer" && grant?.key === undefined && grant?.when === undefined)
    return { type: "tool" };
  if (covers !== "pattern") return { type: covers };
  const parsed = parseJsonObject(pattern);
  // What may stand in it is the server's to say.
  return { type: "pattern", when: (parsed.type === "object" ? parsed.value : {}) as Pattern };
}

/** The answer to send. */
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

/** Whether a choice needs a second step: a tool that does more than read, or all calls of one. */
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

/** What a choice covers, in words. */
export function grantWords(
  { covers, scope, until }: GrantChoice,
  { toolName, grant }: Offered,
): GrantWords {
  const calls = {
    offer: grant?.title ?? `every call of ${toolName}`,
    arguments: `${toolName} with exactly these arguments`,
    pattern: `every call of ${toolName} that fits the pattern`,
    tool: `every call of ${toolName}`,
  }[covers];
  const where = scope === "session" ? "in this chat and its branches" : "in every chat";
  const end = { revoked: "until you revoke it", hour: "for an hour", midnight: "until midnight" };
  return { calls, where, until: end[until] };
}

/** The choice in words, before it is given. */
export function grantChoiceText(choice: GrantChoice, approval: Offered): string {
  const { calls, where, until } = grantWords(choice, approval);
  return `Allows ${calls}, ${where}, ${until}. Other open questions that it covers are answered, too.`;
}

function endOf(until: GrantChoice["until"], now: number): number | undefined {
  if (until === "revoked") return undefined;
  return until === "hour" ? now + 60 * 60 * 1_000 : new Date(now).setHours(24, 0, 0, 0);
}
