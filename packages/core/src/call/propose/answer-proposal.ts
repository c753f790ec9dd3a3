import { frozenJson, isObject } from "../../json/json-value.ts";
import type { ApprovalDecision } from "../../policy/approval.ts";
import { createGrant } from "../../policy/create-grant.ts";
import { approvalQuery } from "../../policy/grant-query.ts";
import type { CallDecision, CallRecord } from "../record/call-record.ts";
import { checkEditedArguments } from "./check-edited-arguments.ts";
import { settleFailedRecheck, recheck, currentTool } from "../gate/recheck.ts";
import type { Gate } from "../gate/gate.ts";
import type { AnsweredProposal, AskingProposal } from "../gate/proposal.ts";
import { failCall, rejectCall } from "../gate/settle-without-result.ts";

/** Another answer covers this question: which one, in words. */
function byGrant(gate: Gate, { approval, registered }: AskingProposal): CallDecision {
  const query = approvalQuery(approval, registered);
  const grant = query && gate.grants.find(query, gate.clock.now());
  return {
    verdict: "allowed",
    by: "grant",
    ...(grant !== undefined && { reason: grant.title }),
  };
}

/** Answers come from wherever a program keeps them: only a yes is a yes. */
function isDecision(given: unknown): given is ApprovalDecision {
  return isObject(given) && (given["decision"] === "allow" || given["decision"] === "refuse");
}

const notUnderstood: ApprovalDecision = {
  decision: "refuse",
  reason: "the answer was not understood",
  by: "system",
};

/** Applies a person's answer to a proposal. The stored arguments run, or those that the person put in their place. */
export async function answerProposal(
  gate: Gate,
  asked: AskingProposal,
  given: ApprovalDecision,
): Promise<AnsweredProposal> {
  const decision = isDecision(given) ? given : notUnderstood;
  const { approval, registered, record } = asked;
  const now = gate.clock.now();
  const grant = createGrant({ approval, decision, now });
  if (grant !== undefined) gate.grants.add(grant);
  const left = grant === undefined ? {} : { grant };
  if (decision.decision === "refuse") {
    const reason = decision.reason?.trim() || "no reason was given";
    const refusedRecord: CallRecord = {
      ...record,
      decision: { verdict: "refused", by: decision.by ?? "person", reason },
      decidedAt: now,
    };
    return { proposal: rejectCall(gate, refusedRecord, reason), ...left };
  }
  const edited =
    decision.arguments === undefined
      ? undefined
      : await checkEditedArguments(gate, registered.tool, decision.arguments);
  if (edited?.status === "invalid")
    return { proposal: failCall(gate, record, "error", edited.error), ...left };
  const allowed = Object.freeze<CallRecord>({
    ...record,
    status: "approved",
    ...(edited !== undefined && { args: frozenJson(edited.args), edited: true }),
    decision: decision.by === "grant" ? byGrant(gate, asked) : { verdict: "allowed", by: "person" },
    decidedAt: now,
  });
  const present = currentTool(gate, registered);
  if (present === undefined)
    return { proposal: settleFailedRecheck(gate, allowed, { type: "gone" }), ...left };
  const failure = recheck(gate, present, allowed.args ?? {});
  if (failure !== undefined)
    return { proposal: settleFailedRecheck(gate, allowed, failure), ...left };
  return { proposal: { status: "approved", record: allowed, registered: present }, ...left };
}
