import type { CallState } from "./call-state.ts";
import type { ChainError, ChainStats, Usage } from "./run-event.ts";

/** The phase of a run, from its events. The last five are final. */
export type RunPhase =
  | "queued"
  | "running"
  | "waiting"
  | "completed"
  | "aborted"
  | "error"
  | "timeout"
  | "interrupted";

/** Text of the model, in the order of arrival. */
export interface TextBlock {
  readonly type: "text" | "reasoning";
  readonly id: string;
  readonly text: string;
  /** More may come. */
  readonly open: boolean;
  /** It was cut off. */
  readonly incomplete: boolean;
  /** The model began again, and this counts no more. */
  readonly isVoid: boolean;
}

/** The place of a call among the model's words; the call itself is in `calls`. */
export interface CallBlock {
  readonly type: "call";
  readonly id: string;
}

export type Block = TextBlock | CallBlock;

export interface RetryNotice {
  readonly attempt: number;
  readonly delayMs: number;
  readonly reason: string;
}

/** The part of the state that an open stream item changes, by the item's id. */
export type ItemTarget =
  | { readonly type: "text" }
  | { readonly type: "arguments"; readonly callId: string }
  | { readonly type: "output"; readonly callId: string };

/** A run as the page shows it: a pure function of its events. */
export interface RunState {
  /** The number of the last event that is in here; 0 before the first. */
  readonly seq: number;
  readonly phase: RunPhase;
  readonly round: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Milliseconds that it waited for users or clients, without a wait in progress. */
  readonly waited: number;
  readonly waitingSince: number | null;
  readonly blocks: readonly Block[];
  readonly calls: { readonly [callId: string]: CallState };
  readonly items: { readonly [itemId: string]: ItemTarget };
  /** Blocks that earlier model steps left; what comes after them can still be void. */
  readonly finishedBlocks: number;
  /** The model could not be reached, and is tried again. */
  readonly retry: RetryNotice | null;
  /** The provider's count over all rounds. */
  readonly usage: Usage | null;
  readonly stats: ChainStats | null;
  readonly error: ChainError | null;
  /** Why the last model step ended. */
  readonly finishReason: string | null;
  /** The limit of the turn at which the model got no more tools, in words. */
  readonly limit: string | null;
}

export const initialRunState: RunState = {
  seq: 0,
  phase: "queued",
  round: 0,
  startedAt: null,
  endedAt: null,
  waited: 0,
  waitingSince: null,
  blocks: [],
  calls: {},
  items: {},
  finishedBlocks: 0,
  retry: null,
  usage: null,
  stats: null,
  error: null,
  finishReason: null,
  limit: null,
};

const ended: ReadonlySet<RunPhase> = new Set([
  "completed",
  "aborted",
  "error",
  "timeout",
  "interrupted",
]);

/** Whether nothing more will come. */
export function hasEnded(phase: RunPhase): boolean {
  return ended.has(phase);
}

/** A copy without one key. */
export function omit<Value>(
  record: { readonly [key: string]: Value },
  key: string,
): { [key: string]: Value } {
  const { [key]: _gone, ...rest } = record;
  return rest;
}

/** Changes one call; of one that was never announced nothing is known, and nothing changes. */
export function updateCall(
  state: RunState,
  callId: string,
  change: (call: CallState) => CallState,
): RunState {
  const call = state.calls[callId];
  if (call === undefined) return state;
  return { ...state, calls: { ...state.calls, [callId]: change(call) } };
}
