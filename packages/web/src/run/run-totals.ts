import { hasEnded, type RunState } from "./run-state.ts";
import type { CallState } from "./call-state.ts";
import { chatTexts } from "../texts/chat.ts";

/** A turn's numbers; while it runs, those of what is settled so far. */
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

/** Milliseconds of the turn without waiting: as the server counted, else since it began. Null before that. */
export function runDuration(state: RunState, now: number): number | null {
  if (state.stats !== null) return state.stats.totalTime;
  if (state.startedAt === null) return null;
  return (state.endedAt ?? state.waitingSince ?? now) - state.startedAt - state.waited;
}

/** What a reader of an answer must know of it: that a limit or a filter ended it. In words. */
export function endedEarly({ limit, finishReason, phase }: RunState): readonly string[] {
  const notices: string[] = [];
  if (limit !== null) notices.push(chatTexts.turn.limitReached(limit));
  if (hasEnded(phase) && finishReason === "length") notices.push(chatTexts.turn.tokenLimit);
  if (hasEnded(phase) && finishReason === "content_filter")
    notices.push(chatTexts.turn.contentFilter);
  return notices;
}

/** The calls that wait for a person's word, in the order in which they asked. */
export function pendingApprovals(state: RunState | undefined): CallState[] {
  if (state === undefined || hasEnded(state.phase)) return [];
  return Object.values(state.calls).filter(
    (call) =>
      (call.phase === "asking" && call.approval !== null) ||
      (call.phase === "reviewing" && call.review !== null),
  );
}
