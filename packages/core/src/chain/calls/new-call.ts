import type { CallRecord } from "../../call/record/call-record.ts";
import type { Gate } from "../../call/gate/gate.ts";
import type { CallRequest } from "../../call/propose/propose.ts";
import type { ToolCallRequest } from "../../model/message.ts";
import type { RequireApprovalOf } from "../../policy/decide.ts";
import type { Caller } from "../../tool/caller.ts";
import type { ToolOffer } from "../../tool/tool-offer.ts";

export interface NewCallOptions {
  readonly gate: Gate;
  readonly offer: ToolOffer;
  readonly runId: string;
  readonly round: number;
  /** Ms since the epoch. */
  readonly at: number;
  readonly caller: Caller;
  readonly requireApproval: RequireApprovalOf | undefined;
}

/** What the gate is to propose of a call that comes from the model. */
export function callRequest(
  { id: callId, function: called }: ToolCallRequest,
  { gate, offer, runId, round, at, caller, requireApproval }: NewCallOptions,
): CallRequest & { readonly args: string } {
  const { id: principalId } = caller.principal;
  return {
    callId,
    name: called.name,
    names: offer.names,
    args: called.arguments,
    round,
    at,
    idempotencyKey: [runId, callId].join("/"),
    principalId: principalId === gate.caller.principal.id ? undefined : principalId,
    requireApproval,
  };
}

/** The row of a call about which the gate decides nothing: it is refused before, or a client runs it. */
export function undecidedCall(call: ToolCallRequest, options: NewCallOptions): CallRecord {
  const { offer } = options;
  const request = callRequest(call, options);
  const { callId, name, args: argumentsText, round, idempotencyKey, principalId } = request;
  const toolId = offer.names[name];
  return {
    callId,
    name,
    owner: offer.clientNames.has(name) ? "client" : "server",
    round,
    status: "waiting",
    argumentsText,
    repairs: [],
    idempotencyKey,
    proposedAt: options.at,
    ...(toolId !== undefined && { toolId }),
    ...(principalId !== undefined && { principalId }),
  };
}
