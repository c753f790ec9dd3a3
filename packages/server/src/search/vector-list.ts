import { createPauses } from "./pauses.ts";
import { dotProduct, lengthOfVector, type SmallVector } from "./vector-code.ts";

/** A part of a file with its vector. */
export interface VectorPart {
  /** The number of the part in the database. */
  readonly n: number;
  readonly vector: SmallVector;
  readonly length: number;
}

/** Parts whose vectors have equally many numbers, with the signs of these numbers as bits. */
export interface VectorList {
  readonly parts: readonly VectorPart[];
  readonly dimensions: number;
  /** The signs of all vectors, one after another. Empty if there are few parts. */
  readonly signs: Int32Array;
}

/** Up to this number of parts, all vectors are compared. */
const fewParts = 2_000;

/**
 * The number of parts with similar signs that are compared for each requested part, and their
 * minimum number.
 */
const oversampling = 10;
const fewestCompared = 1_000;

/** The number of vectors that are read between two pauses. */
const step = 64;

/** Returns the list of the parts that have as many numbers as the first one. Pauses on the way. */
export async function vectorList(given: readonly VectorPart[]): Promise<VectorList> {
  const dimensions = given.find(({ length }) => length > 0)?.vector.length ?? 0;
  const parts = given.filter(({ vector, length }) => length > 0 && vector.length === dimensions);
  const size = wordsOf(dimensions);
  const signs = new Int32Array(parts.length > fewParts ? parts.length * size : 0);
  const pause = createPauses();
  if (signs.length > 0)
    for (const [index, { vector }] of parts.entries()) {
      if (index % step === 0) await pause();
      writeSigns(vector, signs, index * size);
    }
  return { parts, dimensions, signs };
}

/**
 * Returns the parts that are most similar to a vector, the most similar first. In a long list, only
 * the parts with the most similar signs are compared. Their number depends on `limit` only.
 */
export function nearestParts(
  { parts, dimensions, signs }: VectorList,
  query: SmallVector,
  limit: number,
): readonly { readonly n: number; readonly similarity: number }[] {
  if (query.length !== dimensions) return [];
  const queryLength = lengthOfVector(query);
  const compared = signs.length === 0 ? parts : likelyParts({ parts, signs }, query, limit);
  return compared
    .map(({ n, vector, length }) => ({
      n,
      similarity: dotProduct(vector, query) / (length * queryLength || 1),
    }))
    .toSorted((a, b) => b.similarity - a.similarity)
    .slice(0, limit);
}

/** Returns the parts with the fewest different signs. */
function likelyParts(
  { parts, signs }: Pick<VectorList, "parts" | "signs">,
  query: SmallVector,
  limit: number,
): readonly VectorPart[] {
  const size = wordsOf(query.length);
  const own = new Int32Array(size);
  writeSigns(query, own, 0);
  const distances = new Uint16Array(parts.length);
  const counts = new Uint32Array(query.length + 1);
  for (let index = 0; index < parts.length; index += 1) {
    let distance = 0;
    for (let word = 0; word < size; word += 1)
      distance += bitsOf((signs[index * size + word] as number) ^ (own[word] as number));
    distances[index] = distance;
    counts[distance] = (counts[distance] ?? 0) + 1;
  }
  const wanted = Math.max(limit * oversampling, fewestCompared);
  let most = 0;
  let nearer = 0;
  while (nearer + (counts[most] ?? 0) < wanted && most < query.length) {
    nearer += counts[most] ?? 0;
    most += 1;
  }
  let left = wanted - nearer;
  return parts.filter((_part, index) => {
    const distance = distances[index] ?? 0;
    return distance < most || (distance === most && left-- > 0);
  });
}

function wordsOf(dimensions: number): number {
  return Math.ceil(dimensions / 32);
}

function writeSigns(vector: SmallVector, to: Int32Array, from: number): void {
  for (let index = 0; index < vector.length; index += 1)
    if ((vector[index] ?? 0) > 0) {
      const word = from + (index >> 5);
      to[word] = (to[word] ?? 0) | (1 << (index & 31));
    }
}

/** Returns the number of bits that are set. */
function bitsOf(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
