/** The concurrency limits of this process: for all runs, and for the runs of one principal. */
export interface SlotLimits {
  readonly runsAtOnce: number;
  readonly runsOfOne: number;
}

/**
 * The slots for runs that execute in this process. A run acquires a slot before it starts and releases
 * it when it stops; without a slot it waits in the store, as `queued`.
 */
export class Slots {
  readonly #limits: SlotLimits;
  /** The principals of the runs that have a slot, by run. */
  readonly #acquired = new Map<string, string>();
  readonly #usedByOwner = new Map<string, number>();
  #onRelease: () => void = () => {};

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Sets the listener for slots that become free. */
  setReleaseListener(listener: () => void): void {
    this.#onRelease = listener;
  }

  get free(): number {
    return this.#limits.runsAtOnce - this.#acquired.size;
  }

  /** Acquires a slot. Returns false if none is free for this principal. A run that has one keeps it. */
  acquire(runId: string, owner: string): boolean {
    if (this.#acquired.has(runId)) return true;
    const used = this.usedBy(owner);
    if (this.free <= 0 || used >= this.#limits.runsOfOne) return false;
    this.#acquired.set(runId, owner);
    this.#usedByOwner.set(owner, used + 1);
    return true;
  }

  /** Transfers a slot to a run that was not known when the slot was acquired. */
  transfer(from: string, to: string): void {
    const owner = this.#acquired.get(from);
    if (owner === undefined || this.#acquired.has(to)) return;
    this.#acquired.delete(from);
    this.#acquired.set(to, owner);
  }

  release(runId: string): void {
    const owner = this.#acquired.get(runId);
    if (owner === undefined) return;
    this.#acquired.delete(runId);
    const left = this.usedBy(owner) - 1;
    if (left > 0) this.#usedByOwner.set(owner, left);
    else this.#usedByOwner.delete(owner);
    this.#onRelease();
  }

  /**
   * Selects the next runs of a queue: first those of the principal with the fewest slots, each
   * principal's in order. So a principal's first run does not wait for another's hundredth.
   */
  next<R extends { readonly owner: string }>(waiting: readonly R[]): readonly R[] {
    const counts = new Map<string, number>();
    const turns = waiting.map((run, index) => {
      const turn = (counts.get(run.owner) ?? this.usedBy(run.owner)) + 1;
      counts.set(run.owner, turn);
      return { run, turn, index };
    });
    return turns
      .filter(({ turn }) => turn <= this.#limits.runsOfOne)
      .toSorted((a, b) => a.turn - b.turn || a.index - b.index)
      .slice(0, Math.max(0, this.free))
      .map(({ run }) => run);
  }

  usedBy(owner: string): number {
    return this.#usedByOwner.get(owner) ?? 0;
  }
}
