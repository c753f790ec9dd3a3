import type { CallRecord, ChainState, Message } from "@capstan/core";
import { addUsage, noUsage, type RoundUsage } from "@capstan/core/host";
import type { ChainStateEvent, RunRecord, Store } from "@capstan/store";

/** A streamed item that was incomplete when its process stopped. */
export interface UnfinishedItem {
  readonly itemId: string;
  readonly kind: "text" | "reasoning" | "arguments" | "output";
  readonly text: string;
}

export interface StoredChain {
  /** The number of completed rounds. An incomplete round is not counted, because it restarts. */
  readonly state: ChainState;
  /** The number of rounds, including an incomplete one. */
  readonly roundsStarted: number;
  readonly unfinishedItems: readonly UnfinishedItem[];
  /** Whether the run suspended and no process has resumed it. */
  readonly wasWaiting: boolean;
  /** Whether the journal has events of the chain, so that it resumes instead of starting. */
  readonly hasStarted: boolean;
  /** How many of its processes crashed since its last progress. */
  readonly crashes: number;
}

const nothing = { messages: [], calls: [], events: [] };

/** Replays a run's journal into the state of its chain. */
export async function readChainState(store: Store, run: RunRecord): Promise<StoredChain> {
  const query = { owner: run.owner, runId: run.id };
  const { messages, calls, events } = (await store.readChain(query)) ?? nothing;
  const whole = await Promise.all(calls.map((call) => withQuarantine(store, run, call)));
  return {
    state: stateOf(run, messages, whole, events),
    roundsStarted: events.reduce(
      (most, event) => (event.type === "round.started" ? Math.max(most, event.round) : most),
      0,
    ),
    unfinishedItems: unfinishedItems(events),
    wasWaiting: events.findLast(({ type }) => turns.has(type))?.type === "chain.waiting",
    hasStarted: !events.every(isOwnerlessEvent),
    crashes: crashesSinceStep(events),
  };
}

/** Whether the event is of a type that may be written while no process executes the run. */
export function isOwnerlessEvent({ type }: Pick<ChainStateEvent, "type">): boolean {
  return type === "run.orphaned" || type === "run.heartbeat";
}

/** Events that record that a chain started, resumed, suspended, or lost its process. */
const turns: ReadonlySet<ChainStateEvent["type"]> = new Set([
  "chain.started",
  "chain.resumed",
  "chain.waiting",
  "run.orphaned",
]);

const steps: ReadonlySet<ChainStateEvent["type"]> = new Set([
  "round.ended",
  "call.settled",
  "approval.requested",
  "approval.answered",
  "review.requested",
  "review.answered",
  "chain.waiting",
]);

function crashesSinceStep(events: readonly ChainStateEvent[]): number {
  const since = events.findLastIndex(({ type }) => steps.has(type)) + 1;
  return events.slice(since).filter(({ type }) => type === "run.orphaned").length;
}

async function withQuarantine(
  store: Store,
  { owner }: RunRecord,
  call: CallRecord,
): Promise<CallRecord> {
  const { status, review } = call;
  if (status !== "in_review" || review === undefined) return call;
  return (await store.readReview({ owner, id: review.id })) ?? call;
}

function stateOf(
  run: RunRecord,
  messages: readonly Message[],
  calls: readonly CallRecord[],
  events: readonly ChainStateEvent[],
): ChainState {
  const usageByRound: RoundUsage[] = [];
  let round = 0;
  for (const event of events) {
    if (event.type !== "round.ended") continue;
    round = Math.max(round, event.round);
    usageByRound.push({ round: event.round, usage: event.usage });
  }
  // If a run took over another run's turn, only the calls record the rounds of that other run.
  for (const call of calls) round = Math.max(round, call.round);
  return {
    round,
    messages,
    calls,
    usage: usageByRound.reduce((sum, { usage }) => addUsage(sum, usage), noUsage),
    usageByRound,
    startTime: run.createdAt,
    elapsed: runningTime(events),
  };
}

/**
 * Returns the run's running time. The time of each process lasts from its start or claim of the run
 * to its last event. Time queued, suspended or stopped is not counted. Heartbeats are ignored,
 * because a run that was handed back and is queued has them, too.
 */
function runningTime(events: readonly ChainStateEvent[]): number {
  let total = 0;
  let since: number | undefined;
  let last = 0;
  for (const event of events) {
    if (!("at" in event) || event.at === undefined || isOwnerlessEvent(event)) continue;
    if (event.type === "chain.started" || event.type === "chain.resumed") {
      if (since !== undefined) total += last - since;
      since = event.at;
    }
    if (since !== undefined) last = Math.max(event.at, since);
    if (event.type !== "chain.waiting" || since === undefined) continue;
    total += last - since;
    since = undefined;
  }
  return since === undefined ? total : total + last - since;
}

function unfinishedItems(events: readonly ChainStateEvent[]): readonly UnfinishedItem[] {
  const open = new Map<string, UnfinishedItem>();
  for (const event of events) {
    if (event.type === "item.start")
      open.set(event.itemId, { itemId: event.itemId, kind: event.kind, text: "" });
    if (event.type !== "item.delta") continue;
    const item = open.get(event.itemId);
    if (item !== undefined) open.set(event.itemId, { ...item, text: item.text + event.delta });
  }
  return [...open.values()];
}
