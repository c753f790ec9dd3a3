import { frozenJson, isObject } from "../../json/json-value.ts";
import type { ApprovalDecision } from "../../policy/approval.ts";
import { createGrant } from "../../policy/create-grant.ts";
import { approvalQuery } from "../../policy/grant-query.ts";
import type { PreparedArguments } from "../../arguments/prepare-arguments.ts";
import type { RegisteredTool } from "../../tool/registry.ts";
import type { CallDecision, CallRecord } from "../record/call-record.ts";
import { checkEditedArguments } from "./check-edited-arguments.ts";
import { settleFailedRecheck, recheck, currentTool } from "../gate/recheck.ts";
import type { Gate } from "../gate/gate.ts";
import type { AnsweredProposal, AskingProposal } from "../gate/proposal.ts";
import { failCall, rejectCall } from "../gate/settle-without-result.ts";

/** Another answer covers this question: which one, in words. */
function byGrant(
  gate: Gate,
  { approval, registered }: Omit<AskingProposal, "status">,
): CallDecision {
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

/** Applies a user's answer to a proposal. The stored arguments run, or those that the user put in their place. */
export function answerProposal(
  gate: Gate,
  asked: Omit<AskingProposal, "status">,
  given: ApprovalDecision,
): AnsweredProposal | Promise<AnsweredProposal> {
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
  const by = decision.by === "grant" ? byGrant(gate, asked) : allowedByPerson;
  const allowed: CallRecord = { ...record, status: "approved", decision: by, decidedAt: now };
  if (decision.arguments === undefined)
    return { proposal: recheckAllowed(gate, registered, allowed), ...left };
  const withArguments = (edited: PreparedArguments): AnsweredProposal => {
    if (edited.status === "invalid")
      return { proposal: failCall(gate, record, "error", edited.error), ...left };
    const changed: CallRecord = { ...allowed, args: frozenJson(edited.args), edited: true };
    return { proposal: recheckAllowed(gate, registered, changed), ...left };
  };
  const edited = checkEditedArguments(gate, registered.tool, decision.arguments);
  return edited instanceof Promise ? edited.then(withArguments) : withArguments(edited);
}

const allowedByPerson: CallDecision = { verdict: "allowed", by: "person" };

/** The switches, the rules and the tool itself may have changed while the user was asked. */
function recheckAllowed(
  gate: Gate,
  registered: RegisteredTool,
  allowed: CallRecord,
): AnsweredProposal["proposal"] {
  const record = Object.freeze(allowed);
  const present = currentTool(gate, registered);
  if (present === undefined) return settleFailedRecheck(gate, record, { type: "gone" });
  const failure = recheck(gate, present, record.args ?? {});
  return failure === undefined
    ? { status: "approved", record, registered: present }
    : settleFailedRecheck(gate, record, failure);
}
