import type { RegisteredTool } from "../tool/registry.ts";
import type { ApprovalRequest } from "./approval.ts";
import type { GrantQuery } from "./grant-book.ts";
import { ruledCall } from "./ruled-call.ts";

/** A question, as grants see the call that it is about; undefined where no grant can answer it. */
export function approvalQuery(
  approval: ApprovalRequest,
  registered: RegisteredTool | undefined,
): GrantQuery | undefined {
  const { grant, toolId, definitionDigest, principalId } = approval;
  if (grant === undefined || registered === undefined) return undefined;
  const call = ruledCall(registered, approval.args);
  return {
    toolId,
    definitionDigest,
    // Hashed when it is first looked at: that costs more than all the rest of a question.
    get argsDigest() {
      return approval.argsDigest;
    },
    key: grant.key,
    principalId,
    get args() {
      return call.args;
    },
  };
}
