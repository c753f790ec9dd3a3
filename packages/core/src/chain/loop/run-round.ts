import type { ToolCallRequest } from "../../model/message.ts";
import type { ToolOffer } from "../../tool/tool-offer.ts";
import { type ChainEnding, loopError } from "./chain-ending.ts";
import type { ReachedLimit, ChainError } from "../journal/chain-result.ts";
import type { RoundCall } from "../calls/turn-calls.ts";
import { cancelCall, settleWithoutResult } from "../../call/gate/settle-without-result.ts";
import { type CallRequest, newRecord, propose } from "../../call/propose/propose.ts";
import type { ToolErrorData } from "../../base/errors.ts";
import type { CallRecord } from "../../call/record/call-record.ts";
import type { FinishReason } from "../../model/model.ts";
import type { Chain } from "./chain.ts";

/**
 * The conditions for the calls of a round: the offered tools, and a limit or an end that excludes
 * them.
 */
export interface RoundScope {
  readonly offer: ToolOffer;
  /** The limit that excludes all calls of the round. */
  readonly limit: ReachedLimit | undefined;
  /** The chain is closed: no further call is proposed. */
  readonly close?: ChainError | undefined;
}

/** One requested call of a round. */
interface RequestedCall {
  readonly called: ToolCallRequest;
  /** The number of the call in its round, from 1. */
  readonly n: number;
  readonly at: number;
}

/**
 * Proposes the calls that the model requested, and runs them. Returns an ending if the chain does
 * not continue.
 */
export async function runRound(
  chain: Chain,
  requests: readonly ToolCallRequest[],
  offer: ToolOffer,
  limit: ReachedLimit | undefined,
): Promise<ChainEnding | undefined> {
  return runCalls(chain, requests, await proposeCalls(chain, requests, { offer, limit }));
}

/**
 * Passes the requested calls to the gate, one after another. All are proposed before the first one
 * runs, so that sub-calls are ordered after them. If the chain stops meanwhile, the other calls are
 * cancelled. Calls that the chain already has are not proposed again.
 */
export async function proposeCalls(
  chain: Chain,
  requests: readonly ToolCallRequest[],
  scope: RoundScope,
): Promise<readonly RoundCall[]> {
  const calls: RoundCall[] = [];
  const at = chain.options.executor.gate.clock.now();
  let n = 0;
  for (const request of requests) {
    n++;
    if (chain.calls.records.has(request.id)) continue;
    const call = proposeCall(chain, scope, { called: request, n, at });
    calls.push(call instanceof Promise ? await call : call);
  }
  return calls;
}

/** Runs the calls of a round until no call is active. */
export async function runCalls(
  chain: Chain,
  requests: readonly ToolCallRequest[],
  proposed: readonly RoundCall[],
): Promise<ChainEnding | undefined> {
  const { calls, turn, budget } = chain;
  calls.addRound(proposed);
  if (calls.isActive) await calls.idle();
  const ending = chain.stopped();
  if (ending !== undefined) return ending;
  if (calls.isOpen) {
    // From now on, answers must be rejected: the chain is suspended.
    chain.isOver = true;
    return { status: "requires_action" };
  }
  turn.addResults(requests, calls.records);
  for (const { id } of requests) {
    const record = calls.records.get(id);
    if (record !== undefined) budget.failures.add(record);
  }
  return undefined;
}

function proposeCall(
  chain: Chain,
  scope: RoundScope,
  requested: RequestedCall,
): RoundCall | Promise<RoundCall> {
  const { signal } = chain;
  const { gate } = chain.options.executor;
  const { called, n, at } = requested;
  const { name } = called.function;
  const isForbidden = chain.options.chatOption?.toolChoice === "none";
  const isClients = scope.offer.clientNames.has(name) && !isForbidden;
  const owner = isClients ? "client" : "server";
  const request = callRequest(chain, scope.offer, requested);
  const unchecked = (): CallRecord => uncheckedRecord(request, owner, at);
  if (scope.close !== undefined) return cancelCall(gate, unchecked(), scope.close.message);
  if (signal.aborted) return cancelCall(gate, unchecked(), chain.failure?.message);
  const error =
    called.incomplete === true
      ? incompleteCall(name, chain.turn.finishReason)
      : isForbidden
        ? forbiddenCall(name)
        : chain.budget.admitCall({ owner }, n, scope.limit);
  if (error !== undefined)
    return settleWithoutResult(gate, unchecked(), { status: "error", error });
  if (owner === "client") return proposeClientCall(chain, called, unchecked());
  const failed = (thrown: unknown): RoundCall => {
    const failure = loopError(thrown);
    chain.abortWith(failure);
    return cancelCall(gate, unchecked(), failure.message.replace(/\.$/, ""));
  };
  let proposal;
  try {
    proposal = propose(gate, request);
  } catch (thrown) {
    return failed(thrown);
  }
  if (!(proposal instanceof Promise)) return proposal;
  const { promise: stopped, resolve } = Promise.withResolvers<RoundCall>();
  const stop = () => resolve(cancelCall(gate, unchecked()));
  signal.addEventListener("abort", stop, { once: true });
  return Promise.race([stopped, proposal])
    .catch(failed)
    .finally(() => signal.removeEventListener("abort", stop));
}

/** Checks a client's call, if its tool is checked. An invalid call never reaches the client. */
function proposeClientCall(
  { options: { checkClientCall, executor } }: Chain,
  { function: called }: ToolCallRequest,
  record: CallRecord,
): RoundCall {
  const checked = checkClientCall?.(called);
  if (checked === undefined) return { status: "client", record };
  if (checked.status === "invalid")
    return settleWithoutResult(executor.gate, record, { status: "error", error: checked.error });
  const { args, repairs } = checked;
  return { status: "client", record: { ...record, args, repairs } };
}

function callRequest(
  { options: { runId, requireApproval, hidesTool, executor }, turn, caller }: Chain,
  { names }: ToolOffer,
  { called, at }: RequestedCall,
): CallRequest {
  const { id: callId, function: given } = called;
  const { id: principalId } = caller.principal;
  return {
    callId,
    name: given.name,
    names,
    args: given.arguments,
    round: turn.round,
    at,
    idempotencyKey: `${runId}/${callId}`,
    principalId: principalId === executor.gate.caller.principal.id ? undefined : principalId,
    requireApproval,
    hides: hidesTool,
  };
}

function incompleteCall(name: string, reason: FinishReason | undefined): ToolErrorData {
  const ended = reason === "content_filter" ? "a content filter ended it" : "it reached its limit";
  const message = `The answer was cut off in the middle of the arguments of ${name} (${ended}), so the call was not run. Call it again with shorter arguments, or in several calls.`;
  return { code: "incomplete_call", message };
}

function forbiddenCall(name: string): ToolErrorData {
  const message = `${name} was not run: the request does not allow calls of tools (tool_choice "none"). Answer without them.`;
  return { code: "calls_not_allowed", message };
}

/**
 * Returns the record of a call that the gate does not check, because a client runs it or because it
 * was rejected before.
 */
function uncheckedRecord(request: CallRequest, owner: CallRecord["owner"], at: number): CallRecord {
  const record = newRecord(request, at);
  const toolId = request.names?.[request.name];
  return { ...record, owner, status: "waiting", ...(toolId !== undefined && { toolId }) };
}
