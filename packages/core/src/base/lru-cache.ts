/**
 * A cache of the most recently used values, whose sizes together are at most `capacity`. Without
 * `sizeOf`, each value has the size 1.
 */
export class LruCache<K, V> {
  readonly #values = new Map<K, V>();
  readonly #capacity: number;
  readonly #sizeOf: (value: V) => number;
  #size = 0;

  constructor(capacity: number, sizeOf: (value: V) => number = () => 1) {
    this.#capacity = capacity;
    this.#sizeOf = sizeOf;
  }

  get(key: K): V | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) {
      this.#values.delete(key);
      this.#values.set(key, value);
    }
    return value;
  }

  set(key: K, value: V): void {
    this.delete(key);
    this.#values.set(key, value);
    this.#size += this.#sizeOf(value);
    for (const oldest of this.#values.keys()) {
      if (this.#size <= this.#capacity) return;
      this.delete(oldest);
    }
  }

  delete(key: K): void {
    const value = this.#values.get(key);
    if (value === undefined) return;
    this.#size -= this.#sizeOf(value);
    this.#values.delete(key);
  }
}
