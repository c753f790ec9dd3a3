import type { CallRecord, ChainState, Message, Usage } from "@capstan/core";
import type { RunEvent } from "../contract/run.ts";
import type { RunRecord } from "../journal/records.ts";
import type { Store } from "../journal/store.ts";

/** A streamed item that was cut off when its process stopped. */
export interface CutItem {
  readonly itemId: string;
  readonly kind: "text" | "reasoning" | "arguments" | "output";
  readonly text: string;
}

export interface StoredChain {
  readonly state: ChainState;
  readonly cut: readonly CutItem[];
}

/** Rebuilds what a chain knew, from what its run's journal says. */
export async function readChainState(store: Store, run: RunRecord): Promise<StoredChain> {
  const query = { owner: run.owner, runId: run.id };
  const [messages = [], calls = [], compact] = await Promise.all([
    store.readMessages(query),
    store.readCalls(query),
    store.readEventsCompact(query),
  ]);
  const events = compact?.events ?? [];
  return {
    state: stateOf(
      run,
      messages,
      calls.map(({ call }) => call),
      events,
    ),
    cut: cutItems(events),
  };
}

function stateOf(
  run: RunRecord,
  messages: readonly Message[],
  calls: readonly CallRecord[],
  events: readonly RunEvent[],
): ChainState {
  let usage: Usage = { inputTokens: 0, outputTokens: 0 };
  let round = 0;
  for (const event of events) {
    if (event.type !== "round.ended") continue;
    round = Math.max(round, event.round);
    const { inputTokens, outputTokens } = event.usage;
    usage = {
      inputTokens: usage.inputTokens + inputTokens,
      outputTokens: usage.outputTokens + outputTokens,
    };
  }
  // A run that took another's turn over has that one's rounds only in its calls.
  for (const call of calls) round = Math.max(round, call.round);
  return {
    round,
    messages,
    calls,
    usage,
    startTime: run.createdAt,
    elapsed: run.result?.stats.totalTime ?? 0,
  };
}

function cutItems(events: readonly RunEvent[]): readonly CutItem[] {
  const open = new Map<string, CutItem>();
  for (const event of events) {
    if (event.type === "item.start")
      open.set(event.itemId, { itemId: event.itemId, kind: event.kind, text: "" });
    if (event.type === "item.end") open.delete(event.itemId);
    if (event.type !== "item.delta") continue;
    const item = open.get(event.itemId);
    if (item !== undefined) open.set(event.itemId, { ...item, text: item.text + event.delta });
  }
  return [...open.values()];
}
