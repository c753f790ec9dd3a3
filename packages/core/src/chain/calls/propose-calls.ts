import type { Gate } from "../../call/gate/gate.ts";
import {
  cancelCall,
  type EndWithoutResult,
  settleWithoutResult,
} from "../../call/gate/settle-without-result.ts";
import { type CallRequest, newRecord, propose } from "../../call/propose/propose.ts";
import type { CallRecord } from "../../call/record/call-record.ts";
import type { ToolCallRequest } from "../../model/message.ts";
import type { RequireApprovalOf } from "../../policy/decide.ts";
import type { Caller } from "../../tool/caller.ts";
import type { ToolOffer } from "../../tool/tool-offer.ts";
import type { RoundCall } from "./turn-calls.ts";

export interface ProposeCallsOptions {
  readonly gate: Gate;
  readonly offer: ToolOffer;
  readonly runId: string;
  readonly round: number;
  readonly caller: Caller;
  readonly requireApproval: RequireApprovalOf | undefined;
  /** The calls that the chain has already: they are not proposed again. */
  readonly known: ReadonlyMap<string, CallRecord>;
  /** Why a call, the `n`th of its round, is not proposed. */
  readonly refusal: (call: RequestedCall, n: number) => EndWithoutResult | undefined;
  /** Called if the gate fails, and ends the chain. Returns the reason. */
  readonly failed: (thrown: unknown) => string;
  readonly signal: AbortSignal;
}

export type RequestedCall = Pick<CallRecord, "name" | "owner">;

/**
 * Passes the model's calls to the gate, one after another. All are proposed before the first one
 * runs, so that the calls that it makes come after them; if the chain stops meanwhile, the rest is
 * cancelled.
 */
export async function proposeCalls(
  requests: readonly ToolCallRequest[],
  options: ProposeCallsOptions,
): Promise<readonly RoundCall[]> {
  const calls: RoundCall[] = [];
  let n = 0;
  for (const request of requests) {
    n++;
    if (options.known.has(request.id)) continue;
    const call = proposeCall(request, n, options);
    calls.push(call instanceof Promise ? await call : call);
  }
  return calls;
}

function proposeCall(
  called: ToolCallRequest,
  n: number,
  options: ProposeCallsOptions,
): RoundCall | Promise<RoundCall> {
  const { gate, offer, refusal, signal } = options;
  const { name } = called.function;
  const owner = offer.clientNames.has(name) ? "client" : "server";
  const request = callRequest(called, options);
  const unchecked = (): CallRecord => uncheckedRecord(request, owner, options);
  const end = refusal({ name, owner }, n);
  if (end !== undefined) return settleWithoutResult(gate, unchecked(), end);
  if (owner === "client") return { status: "client", record: unchecked() };
  const cancelled = (reason?: string): RoundCall => cancelCall(gate, unchecked(), reason);
  const failed = (thrown: unknown) => cancelled(options.failed(thrown).replace(/\.$/, ""));
  let proposal;
  try {
    proposal = propose(gate, request);
  } catch (thrown) {
    return failed(thrown);
  }
  if (!(proposal instanceof Promise)) return proposal;
  const { promise: stopped, resolve } = Promise.withResolvers<RoundCall>();
  const stop = () => resolve(cancelled());
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  return Promise.race([stopped, proposal])
    .catch(failed)
    .finally(() => signal.removeEventListener("abort", stop));
}

function callRequest(
  { id: callId, function: called }: ToolCallRequest,
  { gate, offer, runId, round, caller, requireApproval }: ProposeCallsOptions,
): CallRequest {
  const { id: principalId } = caller.principal;
  return {
    callId,
    name: called.name,
    names: offer.names,
    args: called.arguments,
    round,
    idempotencyKey: [runId, callId].join("/"),
    principalId: principalId === gate.caller.principal.id ? undefined : principalId,
    requireApproval,
  };
}

/** The record of a call that the gate does not check: a client runs it, or it is refused before. */
function uncheckedRecord(
  request: CallRequest,
  owner: CallRecord["owner"],
  { offer, gate }: ProposeCallsOptions,
): CallRecord {
  const record = newRecord(request, gate.clock.now());
  const toolId = offer.names[request.name];
  return { ...record, owner, status: "waiting", ...(toolId !== undefined && { toolId }) };
}
