import { digest } from "../../json/canonical-json.ts";
import { frozenJson } from "../../json/json-value.ts";
import { definitionDigest } from "../../tool/registry.ts";
import type { CallRecord } from "../record/call-record.ts";
import type { Gate } from "../gate/gate.ts";
import type { AskingProposal } from "../gate/proposal.ts";

/** Returns the proposal of a stored call that waits for an approval, or the reason why there is none. */
export function restoreApprovalRequest(
  { registry }: Gate,
  record: CallRecord,
): AskingProposal | string {
  const { status, approval, args, toolId } = record;
  if (status !== "waiting" || approval === undefined || args === undefined)
    return `it is ${status}, and does not wait for an approval.`;
  const registered = toolId === undefined ? undefined : registry.tool(toolId);
  if (registered === undefined)
    return `its tool ${toolId ?? record.name} is not registered here. Register it first.`;
  if (approval.definitionDigest !== definitionDigest(registered.tool))
    return "its tool changed since it was asked about. Call it again.";
  const asked = frozenJson(args);
  if (approval.argsDigest !== digest(asked))
    return "its arguments changed since it was asked about. Call it again.";
  return {
    status: "asks",
    registered,
    record: Object.freeze({ ...record, args: asked }),
    approval: Object.freeze({ ...frozenJson(approval), args: asked }),
  };
}
