import type { RunState } from "./run-state.ts";

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
