import type { JsonObject } from "../model/json.ts";
import type { ApprovalAdapter, ApprovalDecision } from "../policy/approval.ts";
import { approvalQuery } from "../policy/approval-query.ts";
import { callerWith } from "../tool/caller.ts";
import { answer } from "./answer.ts";
import { askApproval, type Asked } from "./ask-approval.ts";
import type { CallObserver } from "./call-observer.ts";
import { checkAnswer } from "./check-answer.ts";
import type { Gate } from "./gate.ts";
import { startCall } from "./live-call.ts";
import { newId } from "./new-id.ts";
import { type CallRequest, type Proposal, propose } from "./propose.ts";
import type { Scheduler } from "./scheduler.ts";
import type { ExecuteOptions } from "./tool-executor.ts";
import { executeResultOf, type ToolExecuteResult } from "./tool-execute-result.ts";
import { unsettledResult } from "./unsettled-result.ts";

export interface ExecuteContext {
  readonly gate: Gate;
  readonly scheduler: Scheduler;
  readonly approvals: ApprovalAdapter | undefined;
  readonly observer: CallObserver;
}

type Asks = Extract<Proposal, { readonly status: "asks" }>;

/** The three segments of a call in a row, with whoever approves between the first two. */
export async function executeCall(
  context: ExecuteContext,
  options: ExecuteOptions,
  called: { readonly name: string; readonly args: JsonObject | string },
): Promise<ToolExecuteResult> {
  const { gate, scheduler, observer } = context;
  const { callId = newId("call_"), requireApproval, checkToolResults, signal } = options;
  const caller = callerWith(gate.caller, options.caller);
  const { id: principalId } = caller.principal;
  const request: CallRequest = {
    ...called,
    callId,
    round: 0,
    idempotencyKey: callId,
    ...(requireApproval !== undefined && { requireApproval }),
    ...(principalId !== gate.caller.principal.id && { principalId }),
  };
  const proposed = propose(gate, request);
  let proposal = proposed instanceof Promise ? await proposed : proposed;
  const told = observer.proposed(proposal);
  if (told instanceof Promise) await told;
  if (proposal.status === "asks") {
    const word = await ask(context, proposal, signal);
    if (word.decision === "pending") {
      const { approval, registered } = proposal;
      return {
        status: "pending",
        waitsFor: "approval",
        callId,
        toolId: registered.id,
        approval,
      };
    }
    proposal =
      word.decision === "stopped"
        ? stopped(gate, proposal)
        : (await answer(gate, proposal, word)).proposal;
  }
  if (proposal.status === "approved" && signal?.aborted === true)
    proposal = stopped(gate, proposal);
  if (proposal.status === "settled") {
    const told = observer.settled(proposal);
    if (told instanceof Promise) await told;
    return proposal.result;
  }
  const { record, registered } = proposal;
  const call = startCall({
    gate,
    scheduler,
    observer,
    record,
    registered,
    caller,
    ...(checkToolResults !== undefined && { checkToolResults }),
  });
  if (signal === undefined) return executeResultOf(await call.settled);
  const cancel = () => call.cancel("the caller stopped it");
  signal.addEventListener("abort", cancel, { once: true });
  try {
    return executeResultOf(await call.settled);
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

/** While it asks, a call can be stopped like any other. */
async function ask(
  { gate, approvals: adapter }: ExecuteContext,
  { approval, registered, record: { callId } }: Asks,
  signal: AbortSignal | undefined,
): Promise<Asked> {
  const { clock, grants } = gate;
  const query = approvalQuery(approval, registered);
  const check = (decision: ApprovalDecision) =>
    checkAnswer({ gate, registered, approval, decision });
  const asking = askApproval({ adapter, approval, clock, signal, grants, query, check });
  gate.live.set(callId, { cancel: asking.stop });
  const word = await asking.answer;
  gate.live.delete(callId);
  return word;
}

function stopped(gate: Gate, { record }: Proposal): Extract<Proposal, { status: "settled" }> {
  const message = `${record.name} was stopped before it began.`;
  const error = { code: "cancelled", message };
  return { status: "settled", ...unsettledResult(gate, record, { status: "cancelled", error }) };
}
