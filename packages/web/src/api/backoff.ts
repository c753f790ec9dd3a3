/**
 * How long to wait before the next attempt: half a second, doubled each time up to `limit`, less
 * up to a half at random, so that many pages do not come back at once.
 *
 * @example backoffDelay(3) // 2000 … 4000 ms
 */
export function backoffDelay(attempt: number, limit = 10_000, random = Math.random): number {
  const full = Math.min(500 * 2 ** attempt, limit);
  return full - (full / 2) * random();
}

/** Waits, or less: until the network is back, or `signal` aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    addEventListener("online", done);
    signal.addEventListener("abort", done);
  });
}
