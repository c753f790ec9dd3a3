/** How a variable that is no longer there came to its end. */
export interface MissingName {
  readonly reason: "evicted" | "removed" | "not_kept";
  /** The call whose result it was, to repeat: `ListFiles({"path":"."})`. */
  readonly call?: string;
}

/** Remembers what became of names, the newest `capacity` of them. */
export class MissingNames {
  readonly #names = new Map<string, MissingName>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  set(name: string, missing: MissingName): void {
    this.#names.delete(name);
    this.#names.set(name, missing);
    if (this.#names.size <= this.#capacity) return;
    for (const oldest of this.#names.keys()) {
      this.#names.delete(oldest);
      return;
    }
  }

  get(name: string): MissingName | undefined {
    return this.#names.get(name);
  }

  delete(name: string): void {
    this.#names.delete(name);
  }

  entries(): Iterable<readonly [string, MissingName]> {
    return this.#names;
  }
}
