import type { Clock } from "../../base/clock.ts";

/** Counts running time down: not while it is paused. */
export class Deadline {
  readonly #clock: Clock;
  readonly #passed: () => void;
  #leftMs: number;
  #since: number;
  #pauses = 0;
  #stopped = false;
  #disarm: (() => void) | undefined;

  constructor(clock: Clock, ms: number, passed: () => void) {
    this.#clock = clock;
    this.#passed = passed;
    this.#leftMs = ms;
    this.#since = clock.now();
    this.#arm();
  }

  leftMs(): number {
    return this.#pauses > 0 ? this.#leftMs : this.#leftMs - (this.#clock.now() - this.#since);
  }

  /** Each pause needs its own `resume`. */
  pause(): void {
    if (this.#pauses === 0) {
      this.#leftMs = this.leftMs();
      this.#disarm?.();
    }
    this.#pauses++;
  }

  resume(): void {
    if (--this.#pauses > 0) return;
    this.#since = this.#clock.now();
    this.#arm();
  }

  /** For good. */
  stop(): void {
    this.#disarm?.();
    this.#stopped = true;
  }

  #arm(): void {
    if (!this.#stopped) this.#disarm = this.#clock.after(Math.max(0, this.#leftMs), this.#passed);
  }
}
