import { newId } from "../executor/new-id.ts";
import type { ApprovalDecision, ApprovalRequest } from "./approval.ts";
import type { Grant } from "./grant.ts";

export interface GrantForOptions {
  readonly approval: ApprovalRequest;
  readonly decision: ApprovalDecision;
  /** For whom the call is made, where that is not the session's own principal. */
  readonly principalId?: string | undefined;
  readonly now: number;
}

/** What an answer leaves behind for later calls; undefined where it was for this call alone. */
export function grantFor({
  approval,
  decision,
  principalId,
  now,
}: GrantForOptions): Grant | undefined {
  // Made only where something is left behind: most answers are for one call.
  const common = () => ({
    id: newId("grant_"),
    toolId: approval.toolId,
    definitionDigest: approval.definitionDigest,
    args: approval.args,
    createdAt: now,
    ...(principalId !== undefined && { principalId }),
  });
  const exactly = () =>
    ({
      ...common(),
      match: { type: "arguments", digest: approval.argsDigest },
      title: `${approval.toolName} with exactly these arguments`,
      scope: "session",
    }) as const;
  if (decision.decision === "refuse") {
    if (!approval.remember || decision.by === "system") return undefined;
    const reason = decision.reason === undefined ? {} : { reason: decision.reason };
    return { ...exactly(), verdict: "refuse", ...reason };
  }
  const scope = decision.scope ?? "once";
  if (scope === "once") {
    // Edited arguments were allowed once; what was asked was not.
    if (!approval.remember || decision.arguments !== undefined) return undefined;
    return { ...exactly(), verdict: "allow" };
  }
  const { key, title } = approval.grant;
  return {
    ...common(),
    verdict: "allow",
    scope,
    match: key === undefined ? { type: "tool" } : { type: "key", key },
    title,
  };
}
