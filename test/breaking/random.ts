import { readPropertySeed } from "../../scripts/testing/property-seed.ts";

/** A seeded source of random numbers. */
export interface Random {
  readonly seed: number;
  /** A whole number, `from` to `to`, both included. */
  between(from: number, to: number): number;
  pick<T>(values: readonly T[]): T;
  /** Returns true with the given probability in percent. */
  chance(percent: number): boolean;
}

/** Returns a generator of the same numbers for the same seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return {
    seed,
    between,
    pick: <T>(values: readonly T[]): T => {
      const value = values[between(0, values.length - 1)];
      if (value === undefined) throw new Error("Nothing to pick from.");
      return value;
    },
    chance: (percent) => next() * 100 < percent,
  };
}

/** Returns the seed that `PROPERTY_SEED` names, or a new one. */
export function newSeed(): number {
  const read = readPropertySeed(process.env["PROPERTY_SEED"] ?? "random");
  if (read.status === "invalid") throw new Error(read.message);
  return read.seed;
}
