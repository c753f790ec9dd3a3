/** How many runs may go on at once in this process, and of these, how many of one principal. */
export interface PlaceLimits {
  readonly runsAtOnce: number;
  readonly runsOfOne: number;
}

/**
 * The places for runs that go on here. A run takes one before it begins and gives it back as it
 * stops; who finds none waits in the store, as `queued`.
 */
export class Places {
  readonly #limits: PlaceLimits;
  /** By run, its principal. */
  readonly #taken = new Map<string, string>();
  readonly #ofOne = new Map<string, number>();

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  get free(): number {
    return this.#limits.runsAtOnce - this.#taken.size;
  }

  /** False where there is none, for this principal. A run that has one keeps it. */
  take(runId: string, owner: string): boolean {
    if (this.#taken.has(runId)) return true;
    const of = this.of(owner);
    if (this.free <= 0 || of >= this.#limits.runsOfOne) return false;
    this.#taken.set(runId, owner);
    this.#ofOne.set(owner, of + 1);
    return true;
  }

  /** Who has the place from now on: it was taken before it was known for which run. */
  pass(from: string, to: string): void {
    const owner = this.#taken.get(from);
    if (owner === undefined || this.#taken.has(to)) return;
    this.#taken.delete(from);
    this.#taken.set(to, owner);
  }

  give(runId: string): void {
    const owner = this.#taken.get(runId);
    if (owner === undefined) return;
    this.#taken.delete(runId);
    const left = this.of(owner) - 1;
    if (left > 0) this.#ofOne.set(owner, left);
    else this.#ofOne.delete(owner);
  }

  /**
   * Who is next, of runs that wait in order: one of a principal with fewest here, and of its own the
   * first. So a principal's first run waits for no other's hundredth.
   */
  next<R extends { readonly owner: string }>(waiting: readonly R[]): readonly R[] {
    const counts = new Map<string, number>();
    const turns = waiting.map((run, index) => {
      const turn = (counts.get(run.owner) ?? this.of(run.owner)) + 1;
      counts.set(run.owner, turn);
      return { run, turn, index };
    });
    return turns
      .filter(({ turn }) => turn <= this.#limits.runsOfOne)
      .toSorted((a, b) => a.turn - b.turn || a.index - b.index)
      .slice(0, Math.max(0, this.free))
      .map(({ run }) => run);
  }

  of(owner: string): number {
    return this.#ofOne.get(owner) ?? 0;
  }
}
