import type { JsonObject } from "../base/json.ts";
import type { ToolContext } from "../tool/tool-context.ts";
import { answerProposal } from "./propose/answer-proposal.ts";
import type { Gate } from "./gate/gate.ts";
import type {
  ParentContext,
  CallHandle,
  CallDriverOptions,
  SubCallContext,
} from "./driver-options.ts";
import { newId } from "../base/id.ts";
import { type CallRequest, propose } from "./propose/propose.ts";
import type { Proposal } from "./gate/proposal.ts";
import {
  failCall,
  settleWithoutResult,
  cancelledBeforeStart,
} from "./gate/settle-without-result.ts";
import type { SettleOutcome, SettledCall } from "./record/settled-call.ts";
import type { SubCallHandle } from "./schedule/sub-call-handle.ts";
import { toSettledResult } from "./settle/to-execute-result.ts";

/** The sub-calls of one call. */
export class SubCalls {
  /** Those that have not ended; the parent's end ends them. */
  readonly open = new Set<CallHandle>();
  /** The parent has ended: there will be no more. */
  over = false;
  #ended: PromiseWithResolvers<void> | undefined;

  end(): void {
    this.over = true;
    this.#ended?.resolve();
  }

  /** Resolves when the parent ends. */
  get ended(): Promise<void> | undefined {
    this.#ended ??= Promise.withResolvers();
    if (this.over) this.#ended.resolve();
    return this.#ended.promise;
  }
}

export interface SubCallerOptions extends Omit<CallDriverOptions, "parentContext"> {
  readonly parentContext: ParentContext;
  readonly subCalls: SubCalls;
  readonly start: (options: CallDriverOptions) => CallHandle;
}

/** `context.callTool`: the same gate, recorded under the parent, bounded in depth and number. */
export function subCaller(options: SubCallerOptions): ToolContext["callTool"] {
  const { gate, record: parent, parentContext, subCalls } = options;
  let made = 0;
  const call: ToolContext["callTool"] = async (name, args, { references = false } = {}) => {
    made++;
    const handle = options.scheduler.openSubCall(parentContext.ticket);
    const request = {
      callId: newId("call_"),
      name,
      args: args as JsonObject,
      round: parent.round,
      idempotencyKey: `${parent.idempotencyKey}/${made}`,
      parentCallId: parent.callId,
      references,
      requireApproval: options.requireApproval,
      principalId: parent.principalId,
    };
    const refusal = tooMany(parentContext.depth, made, gate.limits);
    const proposal = await proposed(gate, request, handle);
    // Its parent's record is closed: nobody would learn of it.
    if (subCalls.over) {
      handle.close();
      return stopped(gate, proposal, "the call that made it ended").result;
    }
    const live = startSubCall(
      options,
      refusal === undefined ? proposal : failCall(gate, proposal.record, "error", refusal),
      handle,
    );
    subCalls.open.add(live);
    try {
      return toSettledResult(await live.settled);
    } finally {
      subCalls.open.delete(live);
    }
  };
  return (...given) => {
    const result = call(...given);
    // A tool need not wait for it; who records the call is told of a failure anyway.
    result.catch(() => {});
    return result;
  };
}

async function proposed(
  gate: Gate,
  request: CallRequest,
  handle: SubCallHandle,
): Promise<Proposal> {
  try {
    return await propose(gate, request);
  } catch (thrown) {
    handle.close();
    throw thrown;
  }
}

/** Carries a proposal to its end. It can be stopped while it asks, too. */
function startSubCall(
  options: SubCallerOptions,
  proposed: Proposal,
  handle: SubCallHandle,
): CallHandle {
  const { gate, observer, parentContext, subCalls } = options;
  const { callId } = proposed.record;
  const stop = Promise.withResolvers<undefined>();
  let stopReason: string | undefined;
  let live: CallHandle | undefined;

  /** Its ancestors hold again what they gave up while it waited, or nobody needs it any more. */
  const resume = async (): Promise<void> => {
    const back = handle.resume();
    if (back !== undefined && !subCalls.over)
      await parentContext.withDeadlinesPaused(async () => Promise.race([back, subCalls.ended]));
  };
  const whileSuspended: SubCallContext["whileSuspended"] = async (wait) => {
    handle.wait();
    try {
      return await parentContext.withDeadlinesPaused(wait);
    } finally {
      await resume();
    }
  };

  const runProposal = async (): Promise<SettleOutcome> => {
    let proposal = proposed;
    await observer.proposed(proposal);
    if (proposal.status === "asks" && stopReason === undefined) {
      const { approval } = proposal;
      const asking = new AbortController();
      const decision = await whileSuspended(async () =>
        Promise.race([observer.ask(approval, asking.signal), stop.promise]),
      );
      // Whoever still shows the question takes it away.
      if (decision === undefined) asking.abort();
      if (decision !== undefined) {
        const answered = await answerProposal(gate, proposal, decision);
        await observer.answered(answered, approval);
        proposal = answered.proposal;
      }
    }
    // A sibling may have waited already when it was made.
    if (proposal.status === "approved") await resume();
    if (stopReason !== undefined && proposal.status !== "settled")
      proposal = stopped(gate, proposal, stopReason);
    if (proposal.status === "settled") {
      await observer.settled(proposal);
      return proposal;
    }
    const { record, registered } = proposal;
    live = options.start({
      ...options,
      record,
      registered,
      parentContext: { ...parentContext, whileSuspended },
    });
    return live.settled;
  };
  const run = async (): Promise<SettleOutcome> => {
    try {
      const settled = await runProposal();
      await resume();
      return settled;
    } finally {
      gate.activeCalls.remove(activeNode);
      handle.close();
    }
  };
  const settled = Promise.withResolvers<SettleOutcome>();
  const call: CallHandle = {
    callId,
    settled: settled.promise,
    cancel(reason) {
      stopReason ??= reason;
      stop.resolve(undefined);
      live?.cancel(reason);
    },
  };
  const activeNode = gate.activeCalls.append(call);
  settled.resolve(run());
  return call;
}

function stopped(gate: Gate, { record }: Proposal, stopReason: string): SettledCall {
  return settleWithoutResult(gate, record, cancelledBeforeStart(record.name, stopReason));
}

function tooMany(depth: number, made: number, limits: CallDriverOptions["gate"]["limits"]) {
  if (depth > limits.subCallDepth)
    return {
      code: "too_deep",
      message: `Calls may be nested ${limits.subCallDepth} deep; this one would be deeper.`,
    };
  if (made > limits.subCalls)
    return {
      code: "too_many_calls",
      message: `A call may make ${limits.subCalls} calls; this would be one more.`,
    };
  return undefined;
}
