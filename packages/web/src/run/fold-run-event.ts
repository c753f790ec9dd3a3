import type { RunEvent } from "@capstan/contract";
import { foldCallEvent } from "./fold-call-event.ts";
import { foldItemEvent } from "./fold-item-event.ts";
import type { Usage } from "./run-event.ts";
import {
  type Block,
  initialRunState,
  type ItemTarget,
  omit,
  type RunPhase,
  type RunState,
} from "./run-state.ts";

/**
 * Folds one event into a run's state. An event that was already applied (a reconnection can repeat
 * it) changes nothing, so any split and any overlap give the same state.
 */
export function foldRunEvent(state: RunState, event: RunEvent): RunState {
  if (event.seq <= state.seq) return state;
  return { ...fold(state, event), seq: event.seq };
}

/** Folds many events, oldest first. */
export function foldRunEvents(state: RunState, events: Iterable<RunEvent>): RunState {
  let next = state;
  for (const event of events) next = foldRunEvent(next, event);
  return next;
}

/**
 * Returns the state of a stored run at `lastSeq`. Its events are in order with their deltas joined,
 * so their sequence numbers are not used; the live stream continues after `lastSeq`.
 */
export function foldStoredEvents(events: readonly RunEvent[], lastSeq: number): RunState {
  return { ...events.reduce(fold, initialRunState), seq: lastSeq };
}

function fold(state: RunState, event: RunEvent): RunState {
  switch (event.type) {
    case "chain.started":
      return { ...state, phase: "running", startedAt: event.at };
    case "chain.resumed":
      return {
        ...state,
        phase: "running",
        startedAt: state.startedAt ?? event.at,
        waited: state.waited + (event.at - (state.waitingSince ?? event.at)),
        waitingSince: null,
      };
    case "chain.waiting":
      return { ...state, phase: "waiting", waitingSince: event.at };
    case "round.started":
      return { ...state, round: event.round, finishedBlocks: state.blocks.length };
    case "round.ended":
      return {
        ...state,
        retry: null,
        finishedBlocks: state.blocks.length,
        usage: addUsage(state.usage, event.usage),
        finishReason: event.finishReason,
      };
    case "model.retry":
      return {
        ...state,
        retry: { attempt: event.attempt, delayMs: event.delayMs, reason: event.reason },
      };
    case "model.restarted":
      return voidUnfinishedStep(state);
    case "item.start":
    case "item.delta":
    case "item.end":
      return foldItemEvent(state, event);
    case "chain.ended":
      return {
        ...state,
        phase: endPhase(state.phase, event.status, event.error?.code),
        endedAt: event.at,
        retry: null,
        usage: event.usage,
        stats: event.stats,
        error: event.error ?? state.error,
      };
    case "limit.reached":
      return { ...state, limit: { name: event.limit, message: event.message } };
    case "item.logprobs":
    case "run.heartbeat":
    case "run.orphaned":
      return state;
    case "run.interrupted":
      return {
        ...state,
        phase: "interrupted",
        endedAt: event.at,
        retry: null,
        error: { code: "interrupted", message: event.message, phase: "chain" },
      };
    default:
      return foldCallEvent(state, event);
  }
}

/** The interruption remains, whatever final status the run gets. */
function endPhase(before: RunPhase, status: RunPhase, code: string | undefined): RunPhase {
  return before === "interrupted" || code === "interrupted" ? "interrupted" : status;
}

function addUsage(total: Usage | null, more: Usage): Usage {
  if (total === null) return more;
  const cached = (total.cachedInputTokens ?? 0) + (more.cachedInputTokens ?? 0);
  const reasoning = (total.reasoningTokens ?? 0) + (more.reasoningTokens ?? 0);
  return {
    inputTokens: total.inputTokens + more.inputTokens,
    outputTokens: total.outputTokens + more.outputTokens,
    ...(cached > 0 ? { cachedInputTokens: cached } : {}),
    ...(reasoning > 0 ? { reasoningTokens: reasoning } : {}),
  };
}

/**
 * The model restarts its step: its text since the last finished step is marked void, and incomplete
 * calls are removed. Proposed calls are complete and remain.
 */
function voidUnfinishedStep(state: RunState): RunState {
  const blocks: Block[] = state.blocks.slice(0, state.finishedBlocks);
  let calls = state.calls;
  for (const block of state.blocks.slice(state.finishedBlocks)) {
    if (block.type !== "call") blocks.push({ ...block, open: false, isVoid: true });
    else if (calls[block.id]?.phase === "writing") calls = omit(calls, block.id);
    else blocks.push(block);
  }
  return {
    ...state,
    blocks,
    calls,
    items: outputsOnly(state.items),
    finishedBlocks: blocks.length,
  };
}

/** Keeps output items of running tools, because tools continue when the model restarts. */
function outputsOnly(items: RunState["items"]): RunState["items"] {
  const kept: { [itemId: string]: ItemTarget } = {};
  for (const [id, target] of Object.entries(items)) if (target.type === "output") kept[id] = target;
  return kept;
}
