/** Runs one operation at a time for each key, in the order of the requests. */
export class KeyedMutex {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** The number of keys with an operation that runs or waits. */
  get size(): number {
    return this.#tails.size;
  }

  /** Whether an operation runs or waits for the key. */
  isLocked(key: string): boolean {
    return this.#tails.has(key);
  }

  runExclusive<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const mine = before.then(work, work);
    const tail = mine.catch(() => {});
    this.#tails.set(key, tail);
    void tail.then(() => {
      if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    return mine;
  }
}
