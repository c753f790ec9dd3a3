/** Why there is no variable of a name that was there, or was given to a call. */
export interface MissingName {
  readonly reason: "evicted" | "removed" | "not_kept" | "no_result";
  /** The call whose result it was, to repeat: `ListFiles({"path":"."})`. */
  readonly call?: string;
}

interface Remembered {
  readonly missing: MissingName;
  /** Its place in the ring. */
  readonly slot: number;
}

/**
 * Remembers what became of names, the newest `capacity` of them. A ring holds their order: taking
 * the first key of a map again and again walks over all that were deleted before.
 */
export class MissingNames {
  readonly #names = new Map<string, Remembered>();
  readonly #capacity: number;
  readonly #ring: string[] = [];
  #next = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  set(name: string, missing: MissingName): void {
    const slot = this.#next;
    const oldest = this.#ring[slot];
    if (oldest !== undefined && this.#names.get(oldest)?.slot === slot) this.#names.delete(oldest);
    this.#ring[slot] = name;
    this.#names.set(name, { missing, slot });
    this.#next = (slot + 1) % this.#capacity;
  }

  get(name: string): MissingName | undefined {
    return this.#names.get(name)?.missing;
  }

  delete(name: string): void {
    // Looking for a new name in an empty map costs as much as in a full one.
    if (this.#names.size > 0) this.#names.delete(name);
  }

  /** The oldest first. */
  *entries(): Iterable<readonly [string, MissingName]> {
    const { length } = this.#ring;
    for (let n = 0; n < length; n++) {
      const slot = (this.#next + n) % length;
      const name = this.#ring[slot];
      const known = name === undefined ? undefined : this.#names.get(name);
      if (name !== undefined && known?.slot === slot) yield [name, known.missing];
    }
  }
}
