import type { CallRecord } from "../executor/call-record.ts";
import type { Gate } from "../executor/gate.ts";
import type { CallRequest } from "../executor/propose.ts";
import type { ToolCallRequest } from "../model/message.ts";
import type { Caller } from "../tool/caller.ts";
import type { ToolOffer } from "../tool/tool-offer.ts";
import type { ToolChainOptions } from "./tool-chain-options.ts";

export interface NewCallOptions {
  readonly gate: Gate;
  readonly runId: string;
  readonly round: number;
  readonly caller: Caller;
}

/** The row of a call as it comes from the model, before anything is decided about it. */
export function newCall(
  { id: callId, function: called }: ToolCallRequest,
  offer: ToolOffer,
  { gate, runId, round, caller }: NewCallOptions,
): CallRecord {
  const { name, arguments: argumentsText } = called;
  const toolId = offer.names[name];
  const { id: principalId } = caller.principal;
  return {
    callId,
    name,
    owner: offer.clientNames.has(name) ? "client" : "server",
    round,
    status: "waiting",
    argumentsText,
    repairs: [],
    idempotencyKey: `${runId}/${callId}`,
    proposedAt: gate.clock.now(),
    ...(toolId !== undefined && { toolId }),
    ...(principalId !== gate.caller.principal.id && { principalId }),
  };
}

/** What the gate is to propose. */
export function requestOf(
  { callId, name, argumentsText: args, round, idempotencyKey, principalId, proposedAt }: CallRecord,
  { names }: ToolOffer,
  { requireApproval }: Pick<ToolChainOptions, "requireApproval">,
): CallRequest {
  return {
    callId,
    name,
    names,
    args,
    round,
    idempotencyKey,
    proposedAt,
    ...(principalId !== undefined && { principalId }),
    ...(requireApproval !== undefined && { requireApproval }),
  };
}
