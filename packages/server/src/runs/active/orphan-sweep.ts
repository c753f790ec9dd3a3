import type { RunRef, Store } from "@capstan/store";

/** Between two checks: a claim that was under way at the first one has usually launched its run by the second. */
const checkIntervalMs = 5_000;

export interface OrphanSweepOptions {
  readonly store: Pick<Store, "everyRunOf"> & {
    readonly nodes?: Pick<NonNullable<Store["nodes"]>, "self"> | undefined;
  };
  /** Whether this process executes the run, or is about to. */
  readonly isInUse: (runId: string) => boolean;
  /** In ms. */
  readonly now: () => number;
}

/**
 * Finds runs that this node owns but does not execute, for example because the connection was lost
 * before the response to the commit that claimed them. No other node claims them, as this one is alive.
 */
export class OrphanSweep {
  readonly #options: OrphanSweepOptions;
  #checkedAt = -Infinity;
  /** The runs that were not in use at the last check, with their epochs. */
  #seen: ReadonlyMap<string, number> = new Map();

  constructor(options: OrphanSweepOptions) {
    this.#options = options;
  }

  /** Returns the runs that were not in use at two checks, in the same epoch. Checks at most every five seconds. */
  async findOrphans(): Promise<readonly RunRef[]> {
    const { store, isInUse, now } = this.#options;
    const self = store.nodes?.self;
    const sinceCheck = now() - this.#checkedAt;
    if (self === undefined || (sinceCheck >= 0 && sinceCheck < checkIntervalMs)) return [];
    this.#checkedAt = now();
    // The clock was set back, so the time of the last check is unknown.
    if (sinceCheck < 0) this.#seen = new Map();
    // A run in use may stop during the read, which then returns its state from before.
    const before = new Map([...this.#seen].filter(([id]) => !isInUse(id)));
    const own = await store.everyRunOf({ node: self });
    const left = own.filter(({ id }) => !isInUse(id));
    const orphans = left.filter(({ id, epoch }) => before.get(id) === epoch);
    this.#seen = new Map(left.map(({ id, epoch }) => [id, epoch]));
    return orphans;
  }
}
