import type { RunRef, Store } from "@capstan/store";

/** Between two looks: who has just claimed a run is done with beginning it by the second one, as a rule. */
const betweenLooksMs = 5_000;

export interface StrandedRunsOptions {
  readonly store: Pick<Store, "everyRunOf"> & {
    readonly nodes?: Pick<NonNullable<Store["nodes"]>, "self"> | undefined;
  };
  /** Something here goes on with it, or is about to. */
  readonly isHeld: (runId: string) => boolean;
  /** In ms. */
  readonly now: () => number;
}

/**
 * Runs in this node's own name that nothing in it carries on: the connection was lost before the
 * answer of the commit that claimed them, say. No other node takes them, as this one lives.
 */
export class StrandedRuns {
  readonly #options: StrandedRunsOptions;
  #lookedAt = -Infinity;
  /** Those that nothing held at the last look, by their epochs. */
  #seen: ReadonlyMap<string, number> = new Map();

  constructor(options: StrandedRunsOptions) {
    this.#options = options;
  }

  /** Those that were so at two looks, in the same epoch. Asked more often it looks every five seconds. */
  async look(): Promise<readonly RunRef[]> {
    const { store, isHeld, now } = this.#options;
    const self = store.nodes?.self;
    const sinceLook = now() - this.#lookedAt;
    if (self === undefined || (sinceLook >= 0 && sinceLook < betweenLooksMs)) return [];
    this.#lookedAt = now();
    // The clock was set back: nobody knows when that was.
    if (sinceLook < 0) this.#seen = new Map();
    // What is held now may stop while the store is asked, which then says how it was before.
    const before = new Map([...this.#seen].filter(([id]) => !isHeld(id)));
    const own = await store.everyRunOf({ node: self });
    const left = own.filter(({ id }) => !isHeld(id));
    const stranded = left.filter(({ id, epoch }) => before.get(id) === epoch);
    this.#seen = new Map(left.map(({ id, epoch }) => [id, epoch]));
    return stranded;
  }
}
