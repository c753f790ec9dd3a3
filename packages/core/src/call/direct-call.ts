import type { JsonObject } from "../base/json.ts";
import type { ApprovalAdapter, ApprovalDecision } from "../policy/approval.ts";
import { approvalQuery } from "../policy/grant-query.ts";
import { callerWith } from "../tool/caller.ts";
import { andThen } from "../base/and-then.ts";
import { answerProposal } from "./propose/answer-proposal.ts";
import { requestApproval, type ApprovalResponse } from "./ask/request-approval.ts";
import type { CallObserver } from "./gate/call-observer.ts";
import { checkAnswer } from "./propose/check-answer.ts";
import type { Gate } from "./gate/gate.ts";
import { startCall } from "./driver.ts";
import type { ActiveCall } from "./gate/active-call.ts";
import { newId } from "../base/id.ts";
import { type CallRequest, propose } from "./propose/propose.ts";
import type { AskingProposal, Proposal } from "./gate/proposal.ts";
import type { Scheduler } from "./schedule/scheduler.ts";
import { cancelledBeforeStart, settleWithoutResult } from "./gate/settle-without-result.ts";
import type { ExecuteOptions } from "./gate/execute-options.ts";
import type { ToolExecuteResult } from "./record/execute-result.ts";
import { toExecuteResult } from "./settle/to-execute-result.ts";

export interface ExecuteContext {
  readonly gate: Gate;
  readonly scheduler: Scheduler;
  readonly approvals: ApprovalAdapter | undefined;
  readonly observer: CallObserver;
}

/** The three segments of a call in a row, with whoever approves between the first two. */
export function executeCall(
  context: ExecuteContext,
  options: ExecuteOptions,
  called: { readonly name: string; readonly args: JsonObject | string },
): ToolExecuteResult | Promise<ToolExecuteResult> {
  const { callId = newId("call_") } = options;
  const { name, args } = called;
  return withStop(context, options, callId, (stop) =>
    proposeAndRun(context, options, { name, args, callId }, stop),
  );
}

/** The second and third segment of a call that waited for a person, from what was stored of it. */
export function executeAnswered(
  context: ExecuteContext,
  options: ExecuteOptions,
  asked: AskingProposal,
  decision: ApprovalDecision,
): ToolExecuteResult | Promise<ToolExecuteResult> {
  return withStop(context, options, asked.record.callId, async (stop) => {
    const { proposal } = await answerProposal(context.gate, asked, decision);
    return startProposal(context, options, proposal, stop);
  });
}

/** Runs `work` as an active call that can be cancelled. Returns a promise only if `work` does. */
function withStop(
  { gate }: ExecuteContext,
  { signal }: ExecuteOptions,
  callId: string,
  work: (stop: StopHandle) => ToolExecuteResult | Promise<ToolExecuteResult>,
): ToolExecuteResult | Promise<ToolExecuteResult> {
  const stop = new StopHandle(callId);
  const abort = () => stop.cancel("the caller stopped it");
  const activeNode = gate.activeCalls.append(stop);
  if (signal?.aborted === true) abort();
  else signal?.addEventListener("abort", abort, { once: true });
  const leave = (): void => {
    signal?.removeEventListener("abort", abort);
    gate.activeCalls.remove(activeNode);
  };
  let result;
  try {
    result = work(stop);
  } catch (thrown) {
    leave();
    throw thrown;
  }
  if (result instanceof Promise) return result.finally(leave);
  leave();
  return result;
}

/** Cancels a call in its current stage, and remembers the reason for later stages. */
class StopHandle implements ActiveCall {
  readonly callId: string;
  reason: string | undefined;
  #stage: ((reason: string) => void) | undefined;

  constructor(callId: string) {
    this.callId = callId;
  }

  cancel(reason: string): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    this.#stage?.(reason);
  }

  /** Sets the handler that cancels the current stage; calls it at once if the call is cancelled already. */
  onCancel(stage: (reason: string) => void): void {
    this.#stage = stage;
    if (this.reason !== undefined) stage(this.reason);
  }
}

function proposeAndRun(
  context: ExecuteContext,
  options: ExecuteOptions,
  called: Pick<CallRequest, "name" | "args" | "callId">,
  stop: StopHandle,
): ToolExecuteResult | Promise<ToolExecuteResult> {
  const { gate, observer } = context;
  const { requireApproval } = options;
  const { id: principalId } = callerWith(gate.caller, options.caller).principal;
  const { callId } = called;
  const request: CallRequest = {
    ...called,
    round: 0,
    idempotencyKey: callId,
    requireApproval,
    principalId: principalId === gate.caller.principal.id ? undefined : principalId,
  };
  return andThen(propose(gate, request), (proposal) =>
    andThen(observer.proposed(proposal), () =>
      proposal.status === "asks" && stop.reason === undefined
        ? requestApprovalAndRun(context, options, proposal, stop)
        : startProposal(context, options, proposal, stop),
    ),
  );
}

/** Carries a call on once a person has allowed it. */
async function requestApprovalAndRun(
  context: ExecuteContext,
  options: ExecuteOptions,
  asked: AskingProposal,
  stop: StopHandle,
): Promise<ToolExecuteResult> {
  const response = await ask(context, asked, stop);
  if (response.decision === "pending") {
    const { approval, registered, record } = asked;
    const { callId } = record;
    const toolId = registered.id;
    return { status: "pending", waitsFor: "approval", callId, toolId, approval, record };
  }
  if (response.decision === "stopped") return startProposal(context, options, asked, stop);
  const { proposal } = await answerProposal(context.gate, asked, response);
  return startProposal(context, options, proposal, stop);
}

function startProposal(
  { gate, scheduler, observer }: ExecuteContext,
  options: ExecuteOptions,
  given: Proposal,
  stop: StopHandle,
): ToolExecuteResult | Promise<ToolExecuteResult> {
  const { requireApproval, checkToolResults } = options;
  let proposal = given;
  if (proposal.status !== "settled" && stop.reason !== undefined) {
    const end = cancelledBeforeStart(proposal.record.name, stop.reason);
    proposal = settleWithoutResult(gate, proposal.record, end);
  }
  if (proposal.status === "settled") {
    const { result } = proposal;
    return andThen(observer.settled(proposal), () => result);
  }
  if (proposal.status === "asks")
    throw new TypeError(`The question of ${proposal.record.callId} has no answer.`);
  const { record, registered } = proposal;
  const call = startCall({
    gate,
    scheduler,
    observer,
    record,
    registered,
    caller: callerWith(gate.caller, options.caller),
    requireApproval,
    checkToolResults,
  });
  if (call.ended !== undefined) return toExecuteResult(call.ended);
  stop.onCancel((reason) => call.cancel(reason));
  return call.settled.then(toExecuteResult);
}

/** While it asks, a call can be stopped like any other. */
async function ask(
  { gate, approvals: adapter }: ExecuteContext,
  { approval, registered }: AskingProposal,
  stop: StopHandle,
): Promise<ApprovalResponse> {
  const { clock, grants } = gate;
  const query = approvalQuery(approval, registered);
  const check = (decision: ApprovalDecision) =>
    checkAnswer({ gate, registered, approval, decision });
  const asking = requestApproval({ adapter, approval, clock, grants, query, check });
  stop.onCancel(() => asking.stop());
  return asking.answer;
}
