import type { CallRecord } from "../executor/call-record.ts";
import { propose } from "../executor/propose.ts";
import type { UnsettledEnd } from "../executor/unsettled-result.ts";
import type { ToolCallRequest } from "../model/message.ts";
import type { Caller } from "../tool/caller.ts";
import type { ToolOffer } from "../tool/tool-offer.ts";
import { callRequest, type NewCallOptions, undecidedCall } from "./new-call.ts";
import { type OpenCalls, stoppedBefore } from "./open-calls.ts";
import type { ToolChainOptions } from "./tool-chain-options.ts";
import { untilAborted } from "./until-aborted.ts";

export interface ProposeCallsOptions {
  readonly options: ToolChainOptions & { readonly runId: string };
  readonly calls: OpenCalls;
  readonly requests: readonly ToolCallRequest[];
  readonly offer: ToolOffer;
  readonly caller: Caller;
  readonly round: number;
  /** Why a call, the `n`th of its round, is not even proposed. */
  readonly refusal: (call: AskedCall, n: number) => UnsettledEnd | undefined;
  readonly signal: AbortSignal;
}

/** Who is to run what. */
export type AskedCall = Pick<CallRecord, "name" | "owner">;

/**
 * Puts what the model asked for to the gate, but for calls that are known already. All are
 * proposed before the first one runs: what it calls itself comes after them.
 *
 * @returns what takes each of them in. Whatever stops the chain, each call is on record then.
 */
export async function proposeCalls(round: ProposeCallsOptions): Promise<readonly (() => void)[]> {
  const { options, calls, requests, offer, refusal } = round;
  const { executor, runId } = options;
  const about: NewCallOptions = {
    gate: executor.gate,
    offer,
    runId,
    round: round.round,
    caller: round.caller,
    requireApproval: options.requireApproval,
  };
  const proposed: (() => void)[] = [];
  let n = 0;
  for (const request of requests) {
    n++;
    if (calls.records.has(request.id)) continue;
    const { name } = request.function;
    const owner = offer.clientNames.has(name) ? "client" : "server";
    const end = refusal({ name, owner }, n);
    if (end !== undefined || owner === "client") {
      const record = undecidedCall(request, about);
      proposed.push(() =>
        end === undefined ? calls.addClient(record) : calls.refuse(record, end),
      );
    } else {
      const proposal = proposeCall(round, request, about);
      proposed.push(proposal instanceof Promise ? await proposal : proposal);
    }
  }
  return proposed;
}

/** What is returned takes the proposal in. */
function proposeCall(
  { calls, signal }: ProposeCallsOptions,
  request: ToolCallRequest,
  about: NewCallOptions,
): (() => void) | Promise<() => void> {
  const proposal = propose(about.gate, callRequest(request, about));
  if (!(proposal instanceof Promise)) return () => calls.add(proposal);
  return untilAborted(proposal, signal).then((checked) => {
    if (checked !== undefined) return () => calls.add(checked);
    const record = undecidedCall(request, about);
    return () => calls.refuse(record, stoppedBefore(record.name));
  });
}
