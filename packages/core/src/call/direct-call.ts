import { loadSchemaChecks } from "../arguments/schema-checks.ts";
import type { ApprovalDecision } from "../policy/approval.ts";
import type { ReviewDecision } from "../policy/review.ts";
import type { CallHost, Answer } from "./gate/call-host.ts";
import type { ExecuteOptions, CallEnd, CallEntry } from "./call-setup.ts";
import { callerWith } from "../tool/caller.ts";
import { Call } from "./driver.ts";
import type { ToolExecutor } from "./tool-executor.ts";
import type { ToolExecuteResult } from "./record/call-outcome.ts";

/** The options of `runDirectCall`. */
export interface DirectCallOptions {
  readonly callId: string;
  readonly entry: CallEntry;
  readonly options?: Omit<ExecuteOptions, "callId">;
  /** The answer with which a suspended call continues. */
  readonly answer?: Answer;
}

/**
 * Runs a call for an executor until it ends or is suspended, and records it in the executor's
 * ledger.
 */
export async function runDirectCall(
  executor: ToolExecutor,
  { callId, entry, options = {}, answer }: DirectCallOptions,
): Promise<ToolExecuteResult> {
  const loading = loadSchemaChecks();
  if (loading !== undefined) await loading;
  const { gate, scheduler } = executor;
  const { signal, requireApproval, checkToolResults, onOutput } = options;
  const caller = callerWith(gate.caller, options.caller);
  const host = ledgerHost(executor, onOutput);
  const setup = { gate, scheduler, host, caller, requireApproval, checkToolResults };
  const call = new Call(setup, callId);
  const stop = () => call.stop("the caller stopped it");
  if (signal?.aborted === true) stop();
  signal?.addEventListener("abort", stop, { once: true });
  call.start(entry);
  if (answer !== undefined) call.answer(answer);
  const end = await call.ended;
  signal?.removeEventListener("abort", stop);
  return toExecuteResult(end);
}

/**
 * Returns the host of the calls that an executor makes itself. It stores them in the ledger and
 * asks the executor's approval adapter.
 */
function ledgerHost(
  executor: ToolExecutor,
  onOutput: ExecuteOptions["onOutput"] = () => {},
): CallHost {
  const { ledger } = executor.gate;
  return {
    commit({ record }) {
      const written = ledger?.record(record);
      return written instanceof Promise ? written.then(() => true) : true;
    },
    async request(pending, _call, signal) {
      if (pending.kind === "output") return "later";
      const answer =
        pending.kind === "approval"
          ? await executor.ask(pending.approval, signal)
          : await executor.review(pending.request, signal);
      if (answer.decision !== "pending") return answer;
      // A waiting sub-call exists only in this process, so it cannot be answered later.
      if (pending.record.parentCallId === undefined) return "later";
      return pending.kind === "approval" ? noApproval : noReview;
    },
    onOutput,
  };
}

const noApproval: ApprovalDecision = {
  decision: "refuse",
  by: "system",
  reason: "it needs an approval that has not been given yet",
};

const noReview: ReviewDecision = {
  decision: "withhold",
  by: "system",
  reason: "a user must review it first, and the call that made it cannot wait",
};

function toExecuteResult(end: CallEnd): ToolExecuteResult {
  if (end.status === "settled") return end.result;
  if (end.status === "broken") throw end.thrown;
  const { pending } = end;
  const { record } = pending;
  const { callId } = record;
  switch (pending.kind) {
    case "approval": {
      const toolId = pending.registered.id;
      const { approval } = pending;
      return { status: "pending", waitsFor: "approval", callId, toolId, approval, record };
    }
    case "review": {
      const {
        args: _args,
        text: _text,
        shown: _shown,
        parts: _parts,
        annotations: _annotations,
        ...review
      } = pending.request;
      const toolId = pending.registered.id;
      return { status: "pending", waitsFor: "review", callId, toolId, review, record };
    }
    case "output":
      throw new TypeError(`An executor has no client that could answer ${callId}.`);
  }
}
