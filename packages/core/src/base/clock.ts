/** Time, as a port: tests bring their own. */
export interface Clock {
  /** Milliseconds since the epoch: to say when something happened. It jumps if the clock is set. */
  now(): number;
  /** Milliseconds since any moment: to measure how long something takes. It never jumps. */
  monotonic(): number;
  /** Calls back once after `ms`; returns what cancels it. */
  after(ms: number, callback: () => void): () => void;
}

/** What a timer can wait, about 25 days; a longer one would run at once. */
const longestTimer = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    if (ms > longestTimer) return () => {};
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
