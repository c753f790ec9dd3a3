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

/** The answer to send, or what is wrong with the choice. */
export function grantAnswer(
  { covers, pattern, scope, until }: GrantChoice,
  now: number,
):
  | { readonly type: "answer"; readonly body: ExecutionAnswerBody }
  /** What is wrong with the pattern. */
  | { readonly type: "invalid"; readonly message: string } {
  const expiresAt = endOf(until, now);
  const body = { decision: "allow", scope, ...(expiresAt !== undefined && { expiresAt }) } as const;
  if (covers !== "pattern") return { type: "answer", body: { ...body, covers: { type: covers } } };
  const parsed = parseJsonObject(pattern);
  if (parsed.type === "invalid") return parsed;
  // What may stand in it is the server's to say.
  const when = parsed.value as Extract<
    NonNullable<ExecutionAnswerBody["covers"]>,
    { readonly type: "pattern" }
  >["when"];
  return { type: "answer", body: { ...body, covers: { type: "pattern", when } } };
}

/** The choice in words, before it is given. */
export function grantChoiceText(
  { covers, scope, until }: GrantChoice,
  { toolName, grant }: Pick<ApprovalRequest, "toolName" | "grant">,
): string {
  const calls = {
    offer: grant?.title ?? `every call of ${toolName}`,
    arguments: `${toolName} with exactly these arguments`,
    pattern: `every call of ${toolName} that fits the pattern`,
    tool: `every call of ${toolName}`,
  }[covers];
  const where = scope === "session" ? "in this chat and its branches" : "in every chat";
  const end = { revoked: "until you revoke it", hour: "for an hour", midnight: "until midnight" };
  return `Allows ${calls}, ${where}, ${end[until]}. Other open questions that it covers are answered, too.`;
}

function endOf(until: GrantChoice["until"], now: number): number | undefined {
  if (until === "revoked") return undefined;
  return until === "hour" ? now + 60 * 60 * 1_000 : new Date(now).setHours(24, 0, 0, 0);
}
