import { setImmediate as nextTurn } from "node:timers/promises";

/** The time after which work yields to the event loop, in milliseconds. */
const turnMs = 20;

/** Runs work in steps, and yields to the event loop between them, so that it blocks no requests. */
export async function inTurns<T>(steps: Generator<void, T>): Promise<T> {
  let began = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (performance.now() - began < turnMs) continue;
    await nextTurn();
    began = performance.now();
  }
}
