import type { CallState } from "./call-state.ts";
import type { RunState } from "./run-state.ts";

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
