import { createSignal } from "solid-js";
import { backoffDelay } from "@capstan/client";
import { retryNow, waitToRetry } from "./wait-to-retry.ts";

const [lost, setLost] = createSignal(false);
const [returns, setReturns] = createSignal(0);
const forever = new AbortController().signal;
/** A knock that nobody answers for so long is given up, in milliseconds. */
const knockLimit = 3_000;

/** Whether the last request found no server. */
export const serverLost = lost;

/** Counts how often the server came back; what was missed then is asked for again. */
export const serverReturns = returns;

export function noteReached(): void {
  if (!lost()) return;
  setLost(false);
  setReturns((count) => count + 1);
  // Other waiting requests retry at once.
  retryNow();
}

/** Begins to knock at the server's door until it opens. */
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
