import { randomInt } from "node:crypto";

/** The seed of `npm test`: the same values in each run, so that a failure belongs to the change. */
const defaultSeed = 1;
const maxSeed = 2 ** 31 - 1;
/** New seeds are short, so that people can type them. */
const newSeedRange = 1_000_000;

export type PropertySeed =
  | { readonly status: "valid"; readonly seed: number; readonly isNew: boolean }
  | { readonly status: "invalid"; readonly message: string };

/**
 * Reads `PROPERTY_SEED`: a whole number from 0 to 2147483647, or `random` for a new one.
 *
 * @param text @default 1
 * @example readPropertySeed("7") // { status: "valid", seed: 7, isNew: false }
 */
export function readPropertySeed(text: string | undefined): PropertySeed {
  if (text === undefined) return { status: "valid", seed: defaultSeed, isNew: false };
  if (text === "random") return { status: "valid", seed: randomInt(newSeedRange), isNew: true };
  const seed = Number(text);
  if (/^\d+$/.test(text) && seed <= maxSeed) return { status: "valid", seed, isNew: false };
  const message = `PROPERTY_SEED must be "random" or a whole number from 0 to ${maxSeed} (got "${text}").`;
  return { status: "invalid", message };
}
