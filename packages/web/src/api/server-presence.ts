import { createSignal } from "solid-js";
import { backoffDelay } from "@capstan/client";
import { retryNow, waitToRetry } from "./wait-to-retry.ts";

const [lost, setLost] = createSignal(false);
const [returns, setReturns] = createSignal(0);
const forever = new AbortController().signal;
/** Time limit of a health check, in milliseconds. */
const knockLimit = 3_000;

/** Whether the last request could not reach the server. */
export const serverLost = lost;

/**
 * Counts the reconnections to the server. Watch it to reload data that may have changed meanwhile.
 */
export const serverReturns = returns;

export function noteReached(): void {
  if (!lost()) return;
  setLost(false);
  setReturns((count) => count + 1);
  // Other waiting requests retry immediately.
  retryNow();
}

/** Records that the server cannot be reached, and checks its health until it can. */
export function noteLost(): void {
  if (lost()) return;
  setLost(true);
  void knock();
}

async function knock(): Promise<void> {
  for (let attempt = 0; lost(); attempt++) {
    await waitToRetry(backoffDelay(attempt), forever);
    if (!lost()) return;
    const signal = AbortSignal.timeout(knockLimit);
    const response = await fetch("/healthz", { signal }).catch(() => undefined);
    if (response?.ok === true) noteReached();
  }
}
