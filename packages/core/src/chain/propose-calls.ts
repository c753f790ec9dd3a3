import type { CallRecord } from "../executor/call-record.ts";
import { propose } from "../executor/propose.ts";
import type { UnsettledEnd } from "../executor/unsettled-result.ts";
import type { ToolCallRequest } from "../model/message.ts";
import type { Caller } from "../tool/caller.ts";
import type { ToolOffer } from "../tool/tool-offer.ts";
import { newCall, requestOf } from "./new-call.ts";
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
  readonly refusal: (record: CallRecord, n: number) => UnsettledEnd | undefined;
  readonly signal: AbortSignal;
}

/**
 * Puts what the model asked for to the gate, but for calls that are known already. All are
 * proposed before the first one runs: what it calls itself comes after them.
 *
 * @returns what takes each of them in. Whatever stops the chain, each call is on record then.
 */
export async function proposeCalls(round: ProposeCallsOptions): Promise<readonly (() => void)[]> {
  const { options, calls, requests, offer, refusal } = round;
  const { executor, runId } = options;
  const about = { gate: executor.gate, runId, round: round.round, caller: round.caller };
  const proposed: (() => void)[] = [];
  let n = 0;
  for (const request of requests) {
    n++;
    if (calls.records.has(request.id)) continue;
    const record = newCall(request, offer, about);
    const end = refusal(record, n);
    if (end !== undefined) proposed.push(() => calls.refuse(record, end));
    else if (record.owner === "client") proposed.push(() => calls.addClient(record));
    else {
      const proposal = proposeCall(round, record);
      proposed.push(proposal instanceof Promise ? await proposal : proposal);
    }
  }
  return proposed;
}

/** What is returned takes the proposal in. */
function proposeCall(
  { options, calls, offer, signal }: ProposeCallsOptions,
  record: CallRecord,
): (() => void) | Promise<() => void> {
  const proposal = propose(options.executor.gate, requestOf(record, offer, options));
  if (!(proposal instanceof Promise)) return () => calls.add(proposal);
  return untilAborted(proposal, signal).then((checked) =>
    checked === undefined
      ? () => calls.refuse(record, stoppedBefore(record.name))
      : () => calls.add(checked),
  );
}
