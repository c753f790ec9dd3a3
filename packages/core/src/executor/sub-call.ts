import type { JsonObject } from "../model/json.ts";
import type { ToolContext } from "../tool/tool-context.ts";
import type { ToolErrorData } from "../tool/tool-error.ts";
import { answer } from "./answer.ts";
import type { Gate } from "./gate.ts";
import type { Lineage, LiveCall, LiveCallOptions } from "./live-call-options.ts";
import { newId } from "./new-id.ts";
import { type Proposal, propose } from "./propose.ts";
import type { Settled } from "./settled.ts";
import { unsettledResult } from "./unsettled-result.ts";
import type { ToolExecuteResult } from "./tool-execute-result.ts";

/** The sub-calls of one call. */
export interface SubCalls {
  /** Those that have not ended; the parent's end ends them. */
  readonly open: Set<LiveCall>;
  /** The parent has ended: there will be no more. */
  over: boolean;
}

export interface SubCallerOptions extends LiveCallOptions {
  readonly lineage: Lineage;
  readonly subCalls: SubCalls;
  readonly start: (options: LiveCallOptions) => LiveCall;
}

/** `context.callTool`: the same gate, recorded under the parent, bounded in depth and number. */
export function subCaller(options: SubCallerOptions): ToolContext["callTool"] {
  const { gate, record: parent, lineage, subCalls } = options;
  let made = 0;
  return async (name, args): Promise<ToolExecuteResult> => {
    made++;
    const request = {
      callId: newId("call_"),
      name,
      args: args as JsonObject,
      round: parent.round,
      idempotencyKey: `${parent.idempotencyKey}/${made}`,
      parentCallId: parent.callId,
      references: false,
      ...(options.requireApproval !== undefined && { requireApproval: options.requireApproval }),
      ...(parent.principalId !== undefined && { principalId: parent.principalId }),
    };
    const refusal = tooMany(lineage.depth, made, gate.limits);
    const proposal = await propose(gate, request);
    // Its parent's record is closed: nobody would learn of it.
    if (subCalls.over) return ended(gate, proposal, "cancelled", parentEnded(proposal)).result;
    const call = startSubCall(
      options,
      refusal === undefined ? proposal : ended(gate, proposal, "error", refusal),
    );
    subCalls.open.add(call);
    try {
      return (await call.settled).result;
    } finally {
      subCalls.open.delete(call);
    }
  };
}

/** Carries a proposal to its end. It can be stopped while it asks, too. */
function startSubCall(options: SubCallerOptions, proposed: Proposal): LiveCall {
  const { gate, observer } = options;
  const stop = Promise.withResolvers<undefined>();
  let stopped = false;
  let live: LiveCall | undefined;

  const run = async (): Promise<Settled> => {
    let proposal = proposed;
    await observer.proposed(proposal);
    if (proposal.status === "asks" && !stopped) {
      const { approval } = proposal;
      const decision = await options.lineage.paused(async () =>
        Promise.race([observer.ask(approval), stop.promise]),
      );
      if (decision !== undefined) {
        const answered = await answer(gate, proposal, decision);
        await observer.answered(answered, approval);
        proposal = answered.proposal;
      }
    }
    if (stopped && proposal.status !== "settled")
      proposal = ended(gate, proposal, "cancelled", parentEnded(proposal));
    if (proposal.status === "settled") {
      await observer.settled(proposal);
      return proposal;
    }
    const { record, registered } = proposal;
    live = options.start({ ...options, record, registered });
    return live.settled;
  };

  return {
    settled: run(),
    cancel(reason) {
      stopped = true;
      stop.resolve(undefined);
      live?.cancel(reason);
    },
  };
}

function ended(
  gate: Gate,
  { record }: Proposal,
  status: "cancelled" | "error",
  error: ToolErrorData,
): Extract<Proposal, { readonly status: "settled" }> {
  return { status: "settled", ...unsettledResult(gate, record, { status, error }) };
}

function parentEnded({ record: { name } }: Proposal): ToolErrorData {
  const message = `${name} was stopped before it began: the call that made it ended.`;
  return { code: "cancelled", message };
}

function tooMany(depth: number, made: number, limits: LiveCallOptions["gate"]["limits"]) {
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
