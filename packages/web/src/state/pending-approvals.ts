import type { CallState } from "../run/call-state.ts";
import { hasEnded, type RunState } from "../run/run-state.ts";

/** The calls that wait for a person's word, in the order in which they asked. */
export function pendingApprovals(state: RunState | undefined): CallState[] {
  if (state === undefined || hasEnded(state.phase)) return [];
  return Object.values(state.calls).filter(
    (call) =>
      (call.phase === "asking" && call.approval !== null) ||
      (call.phase === "reviewing" && call.review !== null),
  );
}
