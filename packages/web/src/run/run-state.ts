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

/** Text or reasoning of the model. */
export interface TextBlock {
  readonly type: "text" | "reasoning";
  readonly id: string;
  readonly text: string;
  /** Whether more text can arrive. */
  readonly open: boolean;
  /** Whether the text was truncated. */
  readonly incomplete: boolean;
  /** Whether the text is void because the model restarted. */
  readonly isVoid: boolean;
}

/** The position of a call within the model's text; the call itself is in `calls`. */
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

/** The part of the state that an open stream item changes. */
export type ItemTarget =
  | { readonly type: "text" }
  | { readonly type: "arguments"; readonly callId: string }
  | { readonly type: "output"; readonly callId: string };

/** A run as the page shows it: a pure function of its events. */
export interface RunState {
  /** The sequence number of the last applied event; 0 before the first event. */
  readonly seq: number;
  readonly phase: RunPhase;
  readonly round: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** Milliseconds spent waiting for users or clients, without a wait in progress. */
  readonly waited: number;
  readonly waitingSince: number | null;
  readonly blocks: readonly Block[];
  readonly calls: { readonly [callId: string]: CallState };
  readonly items: { readonly [itemId: string]: ItemTarget };
  /** The number of blocks from finished model steps; later blocks can still become void. */
  readonly finishedBlocks: number;
  /** Set while a failed request to the model is about to be repeated. */
  readonly retry: RetryNotice | null;
  /** The provider's count over all rounds. */
  readonly usage: Usage | null;
  readonly stats: ChainStats | null;
  readonly error: ChainError | null;
  /** Why the last model step ended. */
  readonly finishReason: string | null;
  /** The limit after which the model got no more tools, and a sentence of the server about it. */
  readonly limit: { readonly name: string; readonly message: string } | null;
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

/** Whether the run has ended. */
export function hasEnded(phase: RunPhase): boolean {
  return ended.has(phase);
}

/** Returns a copy without one key. */
export function omit<Value>(
  record: { readonly [key: string]: Value },
  key: string,
): { [key: string]: Value } {
  const { [key]: _gone, ...rest } = record;
  return rest;
}

/** Changes a call's state. An unknown call is ignored. */
export function updateCall(
  state: RunState,
  callId: string,
  change: (call: CallState) => CallState,
): RunState {
  const call = state.calls[callId];
  if (call === undefined) return state;
  return { ...state, calls: { ...state.calls, [callId]: change(call) } };
}
