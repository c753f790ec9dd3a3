import { ReclaimingMap } from "./reclaiming-map.ts";

export interface CacheLimits {
  readonly maxEntries: number;
  /** Of all entries together, as their sizes were given. */
  readonly maxBytes: number;
}

interface Entry<T> {
  readonly value: T;
  readonly bytes: number;
}

/** A cache with a maximum number of entries and of bytes, which evicts the entries that were set first. */
export class BoundedCache<T> {
  readonly #limits: CacheLimits;
  readonly #byKey = new ReclaimingMap<string, Entry<T>>();
  #bytes = 0;

  constructor(limits: CacheLimits) {
    this.#limits = limits;
  }

  get(key: string): T | undefined {
    return this.#byKey.get(key)?.value;
  }

  /** Caches a value. One that is larger than the whole cache is not cached, and evicts nothing. */
  set(key: string, value: T, bytes: number): void {
    const { maxEntries, maxBytes } = this.#limits;
    this.delete(key);
    if (bytes > maxBytes) return;
    this.#byKey.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#byKey.keys()) {
      if (this.#byKey.size <= maxEntries && this.#bytes <= maxBytes) break;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.#bytes -= this.#byKey.get(key)?.bytes ?? 0;
    this.#byKey.delete(key);
  }
}
