/** Does one thing at a time for each key, in the order of asking. */
export class Serial {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Of how many keys something goes on or waits. */
  get size(): number {
    return this.#tails.size;
  }

  /** Whether something goes on or waits for a key. */
  isBusy(key: string): boolean {
    return this.#tails.has(key);
  }

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
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
