import { newId } from "../base/id.ts";
import { conditionsText } from "../arguments/argument-conditions.ts";
import type { ApprovalDecision, ApprovalRequest, GrantCover } from "./approval.ts";
import type { Grant, GrantMatch } from "./grant.ts";

export interface CreateGrantOptions {
  readonly approval: ApprovalRequest;
  readonly decision: ApprovalDecision;
  readonly now: number;
}

/**
 * What an answer leaves behind for later calls; undefined where it was for this call alone: it
 * said `once`, a rule asks every time, or the arguments were changed, which nobody had asked about.
 */
export function createGrant(options: CreateGrantOptions): Grant | undefined {
  const { approval, decision, now } = options;
  const make = (rest: Pick<Grant, "verdict" | "scope" | "match" | "title">): Grant => ({
    id: newId("grant_"),
    toolId: approval.toolId,
    definitionDigest: approval.definitionDigest,
    args: approval.args,
    principalId: approval.principalId,
    grantedBy: approval.principalId,
    createdAt: now,
    ...rest,
  });
  const exactly = () => covered(approval, { type: "arguments" });
  if (decision.decision === "refuse") {
    if (!approval.remember || decision.by === "system") return undefined;
    const { reason } = decision;
    const refusal = make({ verdict: "refuse", scope: "session", ...exactly() });
    return reason === undefined ? refusal : { ...refusal, reason };
  }
  if (decision.arguments !== undefined || decision.by === "grant") return undefined;
  const { scope = "once", covers = { type: "offer" }, expiresAt } = decision;
  if (scope === "once") {
    if (!approval.remember) return undefined;
    return make({ verdict: "allow", scope: "session", ...exactly() });
  }
  if (approval.grant === undefined) return undefined;
  const grant = make({ verdict: "allow", scope, ...covered(approval, covers) });
  return expiresAt === undefined ? grant : { ...grant, expiresAt };
}

function covered(
  { toolName, argsDigest, grant }: ApprovalRequest,
  cover: GrantCover,
): { readonly match: GrantMatch; readonly title: string } {
  switch (cover.type) {
    case "arguments":
      return {
        match: { type: "arguments", digest: argsDigest },
        title: `${toolName} with exactly these arguments`,
      };
    case "pattern": {
      const { when } = cover;
      return {
        match: { type: "pattern", when },
        title: `${toolName} where ${conditionsText(when)}`,
      };
    }
    case "tool":
      return everyCall(toolName);
    case "offer": {
      if (grant?.when !== undefined)
        return { match: { type: "pattern", when: grant.when }, title: grant.title };
      if (grant?.key !== undefined)
        return { match: { type: "key", key: grant.key }, title: grant.title };
      return everyCall(toolName);
    }
  }
}

function everyCall(toolName: string): { readonly match: GrantMatch; readonly title: string } {
  return { match: { type: "tool" }, title: `every call of ${toolName}` };
}
