import type { PolicyRule } from "@capstan/core";
import type { Store } from "../journal/store.ts";
import type { OutcomeOf, StoreWrite } from "../journal/store-write.ts";

type Change = Extract<StoreWrite, { type: "change-override" | "reset-override" }>;

/** Each user's own rules, as they are now: what goes on heeds a change at once. */
export class Overrides {
  readonly #store: Store;
  readonly #rules = new Map<string, readonly PolicyRule[]>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Reads them, if they are not known yet; what comes back gives those of the moment. */
  async of(owner: string): Promise<() => readonly PolicyRule[]> {
    if (!this.#rules.has(owner)) await this.#read(owner);
    return () => this.#rules.get(owner) ?? [];
  }

  async write(change: Change): Promise<OutcomeOf<Change>> {
    const [outcome] = await this.#store.write([change]);
    await this.#read(change.owner);
    return outcome;
  }

  async #read(owner: string): Promise<void> {
    const overrides = await this.#store.listOverrides({ owner });
    this.#rules.set(
      owner,
      overrides.map(({ rule }) => rule),
    );
  }
}
