import type { JsonObject } from "../model/json.ts";
import type { ToolContext } from "../tool/tool-context.ts";
import { answer } from "./answer.ts";
import type { Lineage, LiveCall, LiveCallOptions } from "./live-call-options.ts";
import { newId } from "./new-id.ts";
import { type Proposal, propose } from "./propose.ts";
import { unsettledResult } from "./unsettled-result.ts";
import type { ToolExecuteResult } from "./tool-execute-result.ts";

export interface SubCallerOptions extends LiveCallOptions {
  readonly lineage: Lineage;
  /** The live ones, so that the parent's end ends them. */
  readonly subCalls: Set<LiveCall>;
  readonly start: (options: LiveCallOptions) => LiveCall;
}

/** `context.callTool`: the same gate, recorded under the parent, bounded in depth and number. */
export function subCaller(options: SubCallerOptions): ToolContext["callTool"] {
  const { gate, observer, record: parent, lineage, subCalls } = options;
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
    };
    const refusal = tooMany(lineage.depth, made, gate.limits);
    let proposal: Proposal = await propose(gate, request);
    if (refusal !== undefined) {
      proposal = {
        status: "settled",
        ...unsettledResult(gate, proposal.record, { status: "error", error: refusal }),
      };
    }
    await observer.proposed(proposal);
    if (proposal.status === "asks") {
      const decision = await observer.ask(proposal.approval);
      ({ proposal } = await answer(gate, proposal, decision));
    }
    if (proposal.status === "settled") {
      await observer.settled(proposal);
      return proposal.result;
    }
    const call = options.start({
      ...options,
      record: proposal.record,
      registered: proposal.registered,
    });
    subCalls.add(call);
    try {
      return (await call.settled).result;
    } finally {
      subCalls.delete(call);
    }
  };
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
