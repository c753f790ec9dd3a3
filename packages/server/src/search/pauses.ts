import { setImmediate as nextTurn } from "node:timers/promises";

/** How long work may block the event loop, in ms. */
const turnMs = 8;

/**
 * Returns a function to call between the steps of long work. Once the work has taken 8 ms, it
 * yields to the event loop.
 */
export function createPauses(): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < turnMs) return;
    await nextTurn();
    began = performance.now();
  };
}
