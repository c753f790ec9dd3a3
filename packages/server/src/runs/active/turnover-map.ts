/**
 * A map whose entries come and go for as long as the process lives. Where a `Map` outgrows its
 * table, V8 links the old table to the new one: once one of them is in the old generation, all that
 * was ever in the map is kept, and copied, until the next full collection. Here what is deleted is
 * let go of.
 */
export class TurnoverMap<Key, Value> {
  readonly #places = new Map<Key, { value: Value | undefined }>();

  get size(): number {
    return this.#places.size;
  }

  has(key: Key): boolean {
    return this.#places.has(key);
  }

  get(key: Key): Value | undefined {
    return this.#places.get(key)?.value;
  }

  /** A key that is there keeps its place in the order. */
  set(key: Key, value: Value): void {
    const place = this.#places.get(key);
    if (place === undefined) this.#places.set(key, { value });
    else place.value = value;
  }

  delete(key: Key): void {
    const place = this.#places.get(key);
    if (place === undefined) return;
    place.value = undefined;
    this.#places.delete(key);
  }

  /** In the order in which they came. */
  keys(): Iterable<Key> {
    return this.#places.keys();
  }

  *values(): Iterable<Value> {
    for (const { value } of this.#places.values()) yield value as Value;
  }

  *[Symbol.iterator](): Iterator<readonly [Key, Value]> {
    for (const [key, { value }] of this.#places) yield [key, value as Value];
  }
}
