import type { Published } from "../records/store.ts";

type Listener = (published: Published) => void;

/** Tells who listens, in this process, what was committed. It keeps nothing. */
export class Publisher {
  readonly #listeners = new Map<string, Set<Listener>>();

  subscribe(runId: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(runId) ?? new Set();
    this.#listeners.set(runId, listeners);
    // Its own object, so that one function may listen twice.
    const own: Listener = (published) => listener(published);
    listeners.add(own);
    return () => {
      listeners.delete(own);
      if (listeners.size === 0 && this.#listeners.get(runId) === listeners)
        this.#listeners.delete(runId);
    };
  }

  /** For what concerns every run. */
  publishToAll(published: Published): void {
    for (const runId of this.#listeners.keys()) this.publish(runId, published);
  }

  publish(runId: string, published: Published): void {
    for (const listener of this.#listeners.get(runId) ?? []) {
      try {
        listener(published);
      } catch (error) {
        // What was committed stays committed, and the others are told.
        process.emitWarning(error instanceof Error ? error : String(error), "StoreListenerWarning");
      }
    }
  }
}
