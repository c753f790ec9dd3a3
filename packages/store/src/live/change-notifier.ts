import type { UserChanges } from "../records/user-change.ts";

type Listener = (changes: UserChanges) => void;

/** Notifies this process of committed changes of users' data. It stores nothing. */
export class ChangeNotifier {
  readonly #listeners = new Set<Listener>();

  /** @returns removes the listener */
  subscribe(listener: Listener): () => void {
    // A new function, so that the same listener can subscribe twice.
    const own: Listener = (changes) => listener(changes);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  publish(changes: UserChanges): void {
    for (const listener of this.#listeners) {
      try {
        listener(changes);
      } catch (error) {
        // The commit stays valid, and the other listeners are called.
        process.emitWarning(error instanceof Error ? error : String(error), "StoreListenerWarning");
      }
    }
  }
}
