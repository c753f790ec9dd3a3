/** The last so many things that were put in, by a key; older ones are let go of. */
export class Newest<T> {
  readonly #limit: number;
  readonly #byKey = new Map<string, T>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get(key: string): T | undefined {
    return this.#byKey.get(key);
  }

  put(key: string, value: T): void {
    this.#byKey.delete(key);
    this.#byKey.set(key, value);
    for (const oldest of this.#byKey.keys()) {
      if (this.#byKey.size <= this.#limit) break;
      this.#byKey.delete(oldest);
    }
  }

  drop(key: string): void {
    this.#byKey.delete(key);
  }
}
