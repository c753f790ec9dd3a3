import { setImmediate as nextTurn } from "node:timers/promises";

/** How long work may take before other work gets a turn, in ms. */
const turnMs = 8;

/**
 * Returns a function to call between the steps of long work. Once the work has taken 8 ms, other
 * work gets a turn.
 */
export function createPauses(): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < turnMs) return;
    await nextTurn();
    began = performance.now();
  };
}
