import type { PolicyRule } from "@capstan/core";
import type { OutcomeOf, Store, StoreWrite } from "@capstan/store";

type Change = Extract<StoreWrite, { type: "change-override" | "reset-override" }>;

/** Each user's own rules, as they are now: what goes on heeds a change at once. */
export class Overrides {
  readonly #store: Store;
  readonly #rules = new Map<string, readonly PolicyRule[]>();
  /** By user, how often their rules were asked for, and which of those reads is the newest that came. */
  readonly #reads = new Map<string, { begun: number; newest: number }>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Reads them, if they are not known yet; what comes back gives those of the moment. */
  async of(owner: string): Promise<() => readonly PolicyRule[]> {
    if (!this.#rules.has(owner)) await this.#read(owner);
    return () => this.#rules.get(owner) ?? [];
  }

  /** The users whose rules are known here. */
  owners(): readonly string[] {
    return [...this.#reads.keys()];
  }

  /** Another node may have changed them: reads them anew, if they are known here. */
  async refresh(owner: string): Promise<void> {
    if (this.#reads.has(owner)) await this.#read(owner);
  }

  async write(change: Change): Promise<OutcomeOf<Change>> {
    const [outcome] = await this.#store.write([change]);
    await this.#read(change.owner);
    return outcome;
  }

  async #read(owner: string): Promise<void> {
    const reads = this.#reads.get(owner) ?? { begun: 0, newest: 0 };
    this.#reads.set(owner, reads);
    const mine = (reads.begun += 1);
    const overrides = await this.#store.listOverrides({ owner });
    // One that began earlier and comes later may lack the last change.
    if (mine < reads.newest) return;
    reads.newest = mine;
    this.#rules.set(
      owner,
      overrides.map(({ rule }) => rule),
    );
  }
}
