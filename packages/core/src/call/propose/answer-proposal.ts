import { frozenJson, isObject } from "../../json/json-value.ts";
import {
  type ApprovalDecision,
  type ApprovalRequest,
  answerProblem,
  callDigest,
} from "../../policy/approval.ts";
import { createGrant, approvalQuery } from "../../policy/grant.ts";
import type { PreparedArguments } from "../../arguments/prepare-arguments.ts";
import { type RegisteredTool, definitionDigest } from "../../tool/registry.ts";
import type { CallDecision, CallRecord } from "../record/call-record.ts";
import { checkEditedArguments } from "./propose.ts";
import { previewCall } from "../gate/preview.ts";
import { settleFailedRecheck, recheck, currentTool } from "../gate/recheck.ts";
import type { Gate } from "../gate/gate.ts";
import type { AnsweredProposal, AskingProposal } from "../gate/call-host.ts";
import { failCall, rejectCall } from "../gate/settle-without-result.ts";
import { forbids } from "../../policy/decide.ts";
import { canonicalArguments } from "../../policy/rule.ts";

/** Describes the grant from another answer that covers this request. */
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

/** Answers come from custom code: they approve a call only if they are valid. */
function isDecision(given: unknown): given is ApprovalDecision {
  return isObject(given) && (given["decision"] === "allow" || given["decision"] === "refuse");
}

const notUnderstood: ApprovalDecision = {
  decision: "refuse",
  reason: "the answer was invalid",
  by: "system",
};

/**
 * Applies a user's answer to a proposal. The tool gets the stored arguments, or the user's
 * replacements.
 */
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
  const by = decision.by === "grant" ? byGrant(gate, asked) : allowedByUser;
  const allowed: CallRecord = { ...record, status: "approved", decision: by, decidedAt: now };
  if (decision.arguments === undefined)
    return { proposal: recheckAllowed(gate, registered, allowed), ...left };
  const withArguments = (
    edited: PreparedArguments,
  ): AnsweredProposal | Promise<AnsweredProposal> => {
    if (edited.status === "invalid")
      return { proposal: failCall(gate, record, "error", edited.error), ...left };
    const changed: CallRecord = { ...allowed, args: frozenJson(edited.args), edited: true };
    return withPreview(gate, registered, changed).then((proposal) => ({ proposal, ...left }));
  };
  const edited = checkEditedArguments(gate, registered.tool, decision.arguments);
  return edited instanceof Promise ? edited.then(withArguments) : withArguments(edited);
}

const allowedByUser: CallDecision = { verdict: "allowed", by: "person" };

/**
 * Binds the approval of edited arguments to their effect at the time of the answer. Data that the
 * effect depends on, for example a file that is sent, must not change before the call runs.
 */
async function withPreview(
  gate: Gate,
  registered: RegisteredTool,
  edited: CallRecord,
): Promise<AnsweredProposal["proposal"]> {
  const { args = {}, approval } = edited;
  const previewed = await previewCall({ gate, registered, args, record: edited });
  if (previewed?.status === "failed") return failCall(gate, edited, "error", previewed.error);
  const bound =
    previewed === undefined || approval === undefined
      ? edited
      : { ...edited, approval: { ...approval, preview: previewed.preview } };
  return recheckAllowed(gate, registered, bound);
}

/** The switches, the rules and the tool itself may have changed before the user answered. */
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

/** The options of `checkAnswer`. */
export interface CheckAnswerOptions {
  readonly gate: Pick<Gate, "rules" | "overrides" | "clock" | "patternEngine">;
  readonly registered: RegisteredTool;
  readonly approval: ApprovalRequest;
  /** The unvalidated answer from an adapter or a client. */
  readonly decision: unknown;
}

/**
 * Returns a sentence that says why an answer is invalid, so that the request can stay open, or
 * undefined if it is valid. Changed arguments are checked like the model's, and against the rules.
 */
export async function checkAnswer(options: CheckAnswerOptions): Promise<string | undefined> {
  const { gate, registered, approval, decision } = options;
  const args = canonicalArguments(registered.tool, approval.args);
  const problem = answerProblem({ decision, approval, args, now: gate.clock.now() });
  if (problem !== undefined || !isObject(decision)) return problem;
  const { arguments: edited } = decision;
  if (decision["decision"] !== "allow" || edited === undefined) return undefined;
  const checked = await checkEditedArguments(gate, registered.tool, edited);
  if (checked.status === "invalid") return `arguments: ${checked.error.message}`;
  const { readsVariables } = registered.tool.permission ?? {};
  const shown = new Set(approval.variables?.map(({ name }) => name));
  const unseen = readsVariables?.(checked.args).find((name) => !shown.has(name));
  if (unseen !== undefined)
    return `arguments: the variable ${unseen} is not shown in this approval request. Leave it out, or reject and say why.`;
  const { rules } = gate;
  const denial = forbids({ registered, args: checked.args, rules, overrides: gate.overrides() });
  return denial && `arguments: these are not allowed: ${denial.reason}.`;
}

/**
 * Returns the proposal of a stored call that waits for an approval, or the reason why it has none.
 */
export function restoreApprovalRequest(
  { registry }: Gate,
  record: CallRecord,
): AskingProposal | string {
  const { status, approval, args, toolId } = record;
  if (status !== "waiting" || approval === undefined || args === undefined)
    return `it is ${status} and does not wait for an approval.`;
  const registered = toolId === undefined ? undefined : registry.tool(toolId);
  if (registered === undefined)
    return `its tool ${toolId ?? record.name} is not registered here. Register it first.`;
  if (approval.definitionDigest !== definitionDigest(registered.tool))
    return "its tool changed since its approval was requested. Call it again.";
  const asked = frozenJson(args);
  if (approval.argsDigest !== callDigest(asked, record.variables))
    return "its arguments changed since its approval was requested. Call it again.";
  return {
    status: "asks",
    registered,
    record: Object.freeze({ ...record, args: asked }),
    approval: Object.freeze({ ...frozenJson(approval), args: asked }),
  };
}
