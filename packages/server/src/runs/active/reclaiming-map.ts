/**
 * A map for entries that come and go as long as the process lives. When a `Map` outgrows its table,
 * V8 links the old table to the new one: once one of them is in the old generation, all values that
 * were ever in the map stay until the next full collection. Here deleted values can be collected at
 * once.
 */
export class ReclaimingMap<Key, Value> {
  readonly #entries = new Map<Key, { value: Value | undefined }>();

  get size(): number {
    return this.#entries.size;
  }

  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  get(key: Key): Value | undefined {
    return this.#entries.get(key)?.value;
  }

  /** A key that exists keeps its position in the order. */
  set(key: Key, value: Value): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) this.#entries.set(key, { value });
    else entry.value = value;
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    entry.value = undefined;
    this.#entries.delete(key);
  }

  /** In the order of insertion. */
  keys(): Iterable<Key> {
    return this.#entries.keys();
  }

  *values(): Iterable<Value> {
    for (const { value } of this.#entries.values()) yield value as Value;
  }

  *[Symbol.iterator](): Iterator<readonly [Key, Value]> {
    for (const [key, { value }] of this.#entries) yield [key, value as Value];
  }
}
