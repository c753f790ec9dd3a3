import type { Clock } from "../base/clock.ts";

/** A clock that a test moves. Callbacks run in the order of their times, within `advance`. */
export class FakeClock implements Clock {
  #now: number;
  /** The offset of the time of day, in ms, from `set`. */
  #offset = 0;
  #next = 0;
  readonly #timers = new Map<number, { readonly at: number; readonly callback: () => void }>();

  constructor(now = 1_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now + this.#offset;
  }

  monotonic(): number {
    return this.#now;
  }

  /** Sets the time of day, as a user or a time server does. No timer runs. */
  set(byMs: number): void {
    this.#offset += byMs;
  }

  after(ms: number, callback: () => void): () => void {
    const id = this.#next++;
    this.#timers.set(id, { at: this.#now + ms, callback });
    return () => this.#timers.delete(id);
  }

  /** Advances by `ms`, and runs the timers that become due. */
  advance(ms: number): void {
    const until = this.#now + ms;
    for (;;) {
      const due = [...this.#timers]
        .filter(([, timer]) => timer.at <= until)
        .sort(([a, x], [b, y]) => x.at - y.at || a - b)[0];
      if (due === undefined) break;
      this.#timers.delete(due[0]);
      this.#now = Math.max(this.#now, due[1].at);
      due[1].callback();
    }
    this.#now = until;
  }

  /** The number of timers that have not run. */
  get pending(): number {
    return this.#timers.size;
  }
}
