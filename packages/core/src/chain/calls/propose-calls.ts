import type { AddCall } from "./add-call.ts";
import type { CallRecord } from "../../call/record/call-record.ts";
import { propose } from "../../call/propose/propose.ts";
import type { Proposal } from "../../call/gate/proposal.ts";
import {
  type EndWithoutResult,
  cancelledBeforeStart,
} from "../../call/gate/settle-without-result.ts";
import type { ToolCallRequest } from "../../model/message.ts";
import { callRequest, type NewCallOptions, undecidedCall } from "./new-call.ts";
import type { OpenCalls } from "./open-calls.ts";
import { untilAborted } from "./until-aborted.ts";

export interface ProposeCallsOptions extends Omit<NewCallOptions, "at"> {
  readonly calls: OpenCalls;
  /** Why a call, the `n`th of its round, is not even proposed. */
  readonly refusal: (call: RequestedCall, n: number) => EndWithoutResult | undefined;
  /** The gate could not say what is to be done with a call: the chain is to end; says why, in words. */
  readonly failed: (thrown: unknown) => string;
  readonly signal: AbortSignal;
}

/** Who is to run what. */
export type RequestedCall = Pick<CallRecord, "name" | "owner">;

/**
 * Puts what the model asked for to the gate, one after the other, but for calls that are known
 * already. All are proposed before the first one runs: what it calls itself comes after them.
 *
 * @returns what takes each of them in. Whatever stops the chain, each call is on record then.
 */
export function proposeCalls(
  requests: readonly ToolCallRequest[],
  options: ProposeCallsOptions,
): readonly AddCall[] | Promise<readonly AddCall[]> {
  return proposeRest(requests, options, []);
}

/** `proposed`: what came before, a place for each request. */
function proposeRest(
  requests: readonly ToolCallRequest[],
  options: ProposeCallsOptions,
  proposed: AddCall[],
): readonly AddCall[] | Promise<readonly AddCall[]> {
  // Those that wait for nothing are proposed in the same moment.
  const now = { ...options, at: options.gate.clock.now() };
  for (let n = proposed.length; n < requests.length; n++) {
    const take = proposeCall(requests[n] as ToolCallRequest, n + 1, now);
    if (take instanceof Promise)
      return take.then((taken) => {
        proposed.push(taken);
        return proposeRest(requests, options, proposed);
      });
    proposed.push(take);
  }
  return proposed;
}

function proposeCall(
  request: ToolCallRequest,
  n: number,
  options: ProposeCallsOptions & NewCallOptions,
): AddCall | Promise<AddCall> {
  const { calls, offer, refusal, gate, signal } = options;
  if (calls.records.has(request.id)) return known;
  const { name } = request.function;
  const owner = offer.clientNames.has(name) ? "client" : "server";
  const end = refusal({ name, owner }, n);
  if (end !== undefined || owner === "client") {
    const record = undecidedCall(request, options);
    return () => (end === undefined ? calls.addClient(record) : calls.refuse(record, end));
  }
  const notRun = (why?: string): AddCall => {
    const record = undecidedCall(request, options);
    return () => calls.refuse(record, cancelledBeforeStart(name, why));
  };
  const failed = (thrown: unknown) => notRun(options.failed(thrown).replace(/\.$/, ""));
  let proposal;
  try {
    proposal = propose(gate, callRequest(request, options));
  } catch (thrown) {
    return failed(thrown);
  }
  if (!(proposal instanceof Promise)) return taking(calls, proposal);
  return untilAborted(proposal, signal).then(
    (checked) => (checked === undefined ? notRun() : taking(calls, checked)),
    failed,
  );
}

function taking(calls: OpenCalls, proposal: Proposal): AddCall {
  return () => calls.add(proposal);
}

/** It is in the chain. */
const known: AddCall = () => {};
