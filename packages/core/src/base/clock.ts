/** The clock interface, which tests implement with a fake clock. */
export interface Clock {
  /** Returns milliseconds since the epoch, for timestamps. It jumps if the clock is set. */
  now(): number;
  /** Returns milliseconds since an arbitrary moment, for durations. It never jumps. */
  monotonic(): number;
  /** Calls `callback` once after `ms`; returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void;
}

/** The maximum delay of a timer, about 25 days; with a longer delay, it would fire immediately. */
const longestTimer = 2 ** 31 - 1;

/** The system's clock and timers. A delay longer than a timer allows never ends. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(ms, callback) {
    if (ms > longestTimer) return () => {};
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
