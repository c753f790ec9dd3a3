import { TurnoverMap } from "./turnover-map.ts";

export interface NewestLimits {
  readonly most: number;
  /** Of all of them together, as they are given. */
  readonly mostBytes: number;
}

interface Entry<T> {
  readonly value: T;
  readonly bytes: number;
}

/** What was put in last, by a key: so many things, and so many bytes of them. Older ones are let go of. */
export class Newest<T> {
  readonly #limits: NewestLimits;
  readonly #byKey = new TurnoverMap<string, Entry<T>>();
  #bytes = 0;

  constructor(limits: NewestLimits) {
    this.#limits = limits;
  }

  get(key: string): T | undefined {
    return this.#byKey.get(key)?.value;
  }

  /** What has no room even alone is not put in, and nothing is let go of for it. */
  put(key: string, value: T, bytes: number): void {
    const { most, mostBytes } = this.#limits;
    this.drop(key);
    if (bytes > mostBytes) return;
    this.#byKey.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#byKey.keys()) {
      if (this.#byKey.size <= most && this.#bytes <= mostBytes) break;
      this.drop(oldest);
    }
  }

  drop(key: string): void {
    this.#bytes -= this.#byKey.get(key)?.bytes ?? 0;
    this.#byKey.delete(key);
  }
}
