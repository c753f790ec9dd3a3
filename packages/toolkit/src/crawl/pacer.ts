import type { Clock } from "@capstan/core";

/** Waits until the given number of milliseconds has passed since its last call. */
export type Pace = (ms: number) => Promise<void>;

/** Returns a function that spaces out requests. Its waits end when the signal aborts. */
export function pacer(clock: Clock, signal: AbortSignal): Pace {
  let last: number | undefined;
  return async (ms) => {
    const left = last === undefined ? 0 : last + ms - clock.monotonic();
    if (left > 0) await sleep(left, clock, signal);
    signal.throwIfAborted();
    last = clock.monotonic();
  };
}

async function sleep(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const cancel = clock.after(ms, resolve);
  const abort = () => reject(signal.reason as Error);
  signal.addEventListener("abort", abort, { once: true });
  try {
    signal.throwIfAborted();
    await promise;
  } finally {
    cancel();
    signal.removeEventListener("abort", abort);
  }
}
