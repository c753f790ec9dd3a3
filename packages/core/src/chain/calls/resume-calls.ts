import { approvalRequest } from "../../call/gate/call-host.ts";
import { restoreApprovalRequest } from "../../call/propose/answer-proposal.ts";
import type { CallRecord } from "../../call/record/call-record.ts";
import { isSettled } from "../../call/record/call-status.ts";
import { settleFailedRecheck, recheck } from "../../call/gate/recheck.ts";
import { callInReview, reviewRequest } from "../../call/settle/review-result.ts";
import type { ToolExecutor } from "../../call/tool-executor.ts";
import type { Message } from "../../model/message.ts";
import type { ToolErrorData } from "../../base/errors.ts";
import { mayRunAgain } from "../../tool/registry.ts";
import type { ChainError } from "../journal/chain-result.ts";
import type { JournalWrite } from "../journal/journal.ts";
import { proposedEvent, reviewRequested } from "./journal-host.ts";
import { clientEntry, type TurnCalls } from "./turn-calls.ts";
import type { Recorder } from "../journal/recorder.ts";
import type { ChainResume } from "../options/tool-chain-options.ts";

interface ResumeCallsOptions {
  readonly executor: ToolExecutor;
  readonly calls: TurnCalls;
  readonly recorder: Recorder;
  readonly resume: ChainResume;
}

/**
 * Resumes the open calls of a stopped chain. A waiting call waits again, or gets its answer. An
 * approved call runs. A started call runs again only if its tool declares this as safe; otherwise
 * it ends as `outcome_unknown`.
 *
 * @returns the answers that match no waiting call
 */
export function resumeCalls({
  executor,
  calls,
  recorder,
  resume,
}: ResumeCallsOptions): readonly ChainError[] {
  const { state } = resume;
  if (resume.adopted === true) recorder.append(inherited(state.messages, state.calls, executor));
  for (const record of state.calls) {
    if (!isSettled(record.status)) resumeCall({ executor, calls, recorder, resume }, record);
  }
  const problems: ChainError[] = [];
  for (const { callId, decision } of resume.answers ?? []) {
    const approvalId = state.calls.find((call) => call.callId === callId)?.approval?.id;
    if (approvalId === undefined || !calls.answer(approvalId, decision))
      problems.push(notAwaited("answer", callId));
  }
  for (const { callId, decision } of resume.reviews ?? []) {
    const reviewId = state.calls.find((call) => call.callId === callId)?.review?.id;
    if (reviewId === undefined || !calls.answerReview(reviewId, decision))
      problems.push(notAwaited("review", callId));
  }
  for (const output of resume.outputs ?? [])
    if (!calls.submit(output)) problems.push(notAwaited("output", output.callId));
  if (resume.abandonWaiting === true)
    for (const { callId } of calls.waiting())
      calls.cancel(callId, "it was not answered before the conversation continued");
  return problems;
}

/** Reserves the variable names of these calls, so that new calls get other names. */
export function reserveResultNames(
  { variables }: ToolExecutor,
  calls: readonly CallRecord[],
): void {
  for (const { keepAs } of calls) if (keepAs !== undefined) variables.countResult(keepAs);
}

function notAwaited(what: "answer" | "review" | "output", callId: string): ChainError {
  const message = `The ${what} for the call ${callId.slice(0, 100)} was ignored: no call with this id waits for one. result.waiting lists the waiting calls.`;
  return { code: "not_awaited", message, phase: "chain" };
}

function resumeCall(options: ResumeCallsOptions, record: CallRecord): void {
  const { executor, calls, resume } = options;
  if (resume.close !== undefined) return closeCall(calls, record, resume.close);
  const ended = resume.ended?.find(({ callId }) => callId === record.callId);
  if (ended !== undefined) return calls.addSettledElsewhere(ended);
  if (record.parentCallId !== undefined) return closeCall(calls, record, parentStopped);
  if (record.owner === "client") return calls.start(record, clientEntry(record));
  const registered =
    record.toolId === undefined ? undefined : executor.gate.registry.tool(record.toolId);
  if (record.status === "in_review") {
    if (registered === undefined) return calls.withhold(record, "its tool no longer exists");
    if (record.quarantine === undefined)
      return calls.withhold(record, "it was lost before a user had reviewed it");
    const pending = reviewRequest(callInReview(record, registered));
    return calls.start(record, { at: "suspended", pending });
  }
  if (registered === undefined) {
    const message = `The tool "${record.name}" no longer exists.`;
    return calls.close(record, { status: "not_found", error: { code: "tool_not_found", message } });
  }
  if (record.status === "waiting") {
    const { answers, abandonWaiting } = resume;
    const answered =
      abandonWaiting === true || answers?.some(({ callId }) => callId === record.callId) === true;
    return resumeApprovalRequest(options, record, answered);
  }
  if (record.status === "started" && !mayRunAgain(registered.tool)) {
    return calls.close(record, { status: "outcome_unknown", error: unknownOutcome(record) });
  }
  const failure = recheck(executor.gate, registered, record.args ?? {});
  if (failure !== undefined)
    return calls.settle(settleFailedRecheck(executor.gate, record, failure));
  const approved = { ...record, status: "approved" } as const;
  calls.start(approved, {
    at: "run",
    approved: { status: "approved", record: approved, registered },
  });
}

/** A sub-call does not resume: its parent runs again and repeats it. */
const parentStopped: ChainError = {
  code: "aborted",
  message: "the call that made it was stopped.",
  phase: "tool",
};

function closeCall(calls: TurnCalls, record: CallRecord, why: ChainError): void {
  if (record.status === "in_review")
    return calls.withhold(record, `no user had reviewed it when it ended:  ${why.message}`);
  if (record.status === "started")
    return calls.close(record, { status: "outcome_unknown", error: unknownOutcome(record) });
  const message = `${record.name} was not run: ${why.message}`;
  calls.close(record, { status: "cancelled", error: { code: "cancelled", message } });
}

function unknownOutcome(record: CallRecord): ToolErrorData {
  const message = `${record.name} had begun when the server stopped. It may or may not have happened: check before you do it again.`;
  return { code: "outcome_unknown", message };
}

function resumeApprovalRequest(
  { executor, calls }: ResumeCallsOptions,
  record: CallRecord,
  answered: boolean,
): void {
  const asked = restoreApprovalRequest(executor.gate, record);
  if (typeof asked !== "string")
    return calls.start(asked.record, {
      at: answered ? "suspended" : "ask",
      pending: approvalRequest(asked),
    });
  const message = `${record.name} or its arguments changed after the approval was requested. Call it again.`;
  calls.close(record, { status: "error", error: { code: "tool_changed", message } });
}

/**
 * Returns the writes that copy the turn into the journal of the run that takes it over, with the
 * events of its open calls.
 */
function inherited(
  messages: readonly Message[],
  calls: readonly CallRecord[],
  executor: ToolExecutor,
): readonly JournalWrite[] {
  const writes: JournalWrite[] = messages.map((message) => ({
    type: "message",
    round: 0,
    message,
  }));
  for (const call of calls) {
    writes.push({ type: "call", call });
    if (isSettled(call.status)) continue;
    writes.push({ type: "event", event: proposedEvent(call, executor) });
    if (call.status === "in_review") writes.push(...reviewRequested(call));
  }
  return writes;
}

/** The maximum number of stored keys; the oldest is evicted first. */
const remembered = 10_000;

/** Idempotency keys of the calls that a chain has resumed, by executor. */
const reserved = new WeakMap<ToolExecutor, Set<string>>();

/**
 * Reserves the open calls of a state for one chain, so that a second chain with the same state does
 * not run them again. A reservation applies within one executor. Between processes, the journal
 * rejects the second writer.
 *
 * @returns an error if another chain has reserved one of the calls
 */
export function reserveCalls(
  executor: ToolExecutor,
  calls: readonly CallRecord[],
): ChainError | undefined {
  const open = calls.filter(({ status }) => !isSettled(status));
  const keys = reserved.get(executor) ?? new Set();
  const other = open.find(({ idempotencyKey }) => keys.has(idempotencyKey));
  if (other !== undefined) {
    const message = `The call ${other.callId} of this state was already resumed, and is not run twice. Resume from the state in the result of the chain that resumed it.`;
    return { code: "already_resumed", message, phase: "chain" };
  }
  for (const { idempotencyKey } of open) keys.add(idempotencyKey);
  for (const key of keys) {
    if (keys.size <= remembered) break;
    keys.delete(key);
  }
  reserved.set(executor, keys);
  return undefined;
}

/** Releases the open calls of a stopped chain, so that its state can be resumed again. */
export function releaseCalls(executor: ToolExecutor, calls: Iterable<CallRecord>): void {
  const keys = reserved.get(executor);
  if (keys === undefined) return;
  for (const { idempotencyKey, status } of calls)
    if (!isSettled(status)) keys.delete(idempotencyKey);
}
