import { hasEnded, type RunState } from "./run-state.ts";
import type { CallState } from "./call-state.ts";
import { chatTexts } from "../texts/chat.ts";

/** A turn's totals; during the run, those of its settled calls and rounds. */
export interface RunTotals {
  readonly calls: number;
  readonly rounds: number;
  readonly tokensShown: number;
  readonly tokensWithheld: number;
}

export function runTotals(state: RunState): RunTotals {
  if (state.stats !== null) {
    const { totalCalls, totalRounds, tokensShown, tokensWithheld } = state.stats;
    return { calls: totalCalls, rounds: totalRounds, tokensShown, tokensWithheld };
  }
  const calls = Object.values(state.calls);
  const sum = (part: "shown" | "withheld") =>
    calls.reduce((total, call) => total + (call.result?.tokens[part] ?? 0), 0);
  return {
    calls: calls.length,
    rounds: state.round,
    tokensShown: sum("shown"),
    tokensWithheld: sum("withheld"),
  };
}

/**
 * Milliseconds of the turn without waiting: the server's figure, or the time since the turn began.
 * Null before the turn begins.
 */
export function runDuration(state: RunState, now: number): number | null {
  if (state.stats !== null) return state.stats.totalTime;
  if (state.startedAt === null) return null;
  return (state.endedAt ?? state.waitingSince ?? now) - state.startedAt - state.waited;
}

/** Returns the notice that a limit or a filter ended an answer early. */
export function endedEarly({ limit, finishReason, phase }: RunState): readonly string[] {
  const notices: string[] = [];
  if (limit !== null) notices.push(chatTexts.turn.limitReached(limit.name, limit.message));
  if (hasEnded(phase) && finishReason === "length") notices.push(chatTexts.turn.tokenLimit);
  if (hasEnded(phase) && finishReason === "content_filter")
    notices.push(chatTexts.turn.contentFilter);
  return notices;
}

/** Returns the calls that wait for approval, in the order of their requests. */
export function pendingApprovals(state: RunState | undefined): CallState[] {
  if (state === undefined || hasEnded(state.phase)) return [];
  return Object.values(state.calls).filter(
    (call) =>
      (call.phase === "asking" && call.approval !== null) ||
      (call.phase === "reviewing" && call.review !== null),
  );
}
