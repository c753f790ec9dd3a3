import type { HistoryItemOf, ResolvedItem } from "./history-item.ts";

type Call = HistoryItemOf<"call">;
type Output = HistoryItemOf<"output">;

/** The outputs and calls of one request that belong together. */
export interface PairedOutputs {
  readonly outputOf: ReadonlyMap<ResolvedItem, Output>;
  readonly callOf: ReadonlyMap<ResolvedItem, Call>;
  /** For each output without a call in the request, an earlier output of the same call id. */
  readonly earlierOutput: ReadonlyMap<ResolvedItem, Output>;
}

/** The calls of one step that have the same id, of which the first `answered` have outputs. */
interface CallsOfStep {
  readonly step: number;
  readonly calls: Call[];
  answered: number;
}

/**
 * Finds the call of each output in the same list. Some models reuse call ids, so an output belongs
 * to the nearest earlier step that has an unanswered call with its id. If there is no such step, it
 * belongs to a later call.
 */
export function pairOutputs(items: readonly ResolvedItem[]): PairedOutputs {
  const outputOf = new Map<ResolvedItem, Output>();
  const callOf = new Map<ResolvedItem, Call>();
  const unanswered = new Map<string, CallsOfStep[]>();
  const unpaired = new Map<string, Output[]>();
  let step = 0;
  let isInStep = false;

  for (const item of items) {
    if (item.type === "call") {
      if (!isInStep) step++;
      isInStep = true;
      const steps = listAt(unanswered, item.call.id);
      const last = steps.at(-1);
      if (last?.step === step) last.calls.push(item);
      else steps.push({ step, calls: [item], answered: 0 });
      continue;
    }
    if (item.type !== "server_call" && item.type !== "hidden") isInStep = false;
    if (item.type !== "output") continue;
    const { callId } = item.output;
    const steps = unanswered.get(callId);
    const newest = steps?.at(-1);
    // Calls of one step get their outputs in the order of the calls.
    const call = newest?.calls[newest.answered++];
    if (newest !== undefined && newest.answered >= newest.calls.length) steps?.pop();
    if (call === undefined) listAt(unpaired, callId).push(item);
    else {
      outputOf.set(call, item);
      callOf.set(item, call);
    }
  }
  pairWithLaterCalls(items, { outputOf, callOf, unpaired });
  return { outputOf, callOf, earlierOutput: earlierOutputs(items, callOf) };
}

function pairWithLaterCalls(
  items: readonly ResolvedItem[],
  {
    outputOf,
    callOf,
    unpaired,
  }: {
    readonly outputOf: Map<ResolvedItem, Output>;
    readonly callOf: Map<ResolvedItem, Call>;
    readonly unpaired: ReadonlyMap<string, readonly Output[]>;
  },
): void {
  const next = new Map<string, number>();
  for (const item of items) {
    if (item.type !== "call" || outputOf.has(item)) continue;
    const index = next.get(item.call.id) ?? 0;
    const output = unpaired.get(item.call.id)?.[index];
    if (output === undefined || output.at > item.at) continue;
    next.set(item.call.id, index + 1);
    outputOf.set(item, output);
    callOf.set(output, item);
  }
}

function earlierOutputs(
  items: readonly ResolvedItem[],
  callOf: ReadonlyMap<ResolvedItem, Call>,
): ReadonlyMap<ResolvedItem, Output> {
  const earlier = new Map<ResolvedItem, Output>();
  const last = new Map<string, Output>();
  for (const item of items) {
    if (item.type !== "output") continue;
    const { callId } = item.output;
    const before = last.get(callId);
    if (before !== undefined && !callOf.has(item)) earlier.set(item, before);
    else last.set(callId, item);
  }
  return earlier;
}

function listAt<T>(lists: Map<string, T[]>, key: string): T[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}
