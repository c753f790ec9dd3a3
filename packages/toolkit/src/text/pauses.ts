import { setImmediate as yieldToEventLoop } from "node:timers/promises";

/** How long work may block the event loop before it yields, in ms. */
const maxBlockingMs = 8;

/**
 * Returns a function to call between the steps of long work. It yields to the event loop if the
 * work has run for 8 ms.
 */
export function createPauses(): () => Promise<void> {
  let began = performance.now();
  return async () => {
    if (performance.now() - began < maxBlockingMs) return;
    await yieldToEventLoop();
    began = performance.now();
  };
}
