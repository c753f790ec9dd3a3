import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { brotliDecompress, brotliDecompressSync } from "node:zlib";

/** The rank of each token of the encoding, keyed by its UTF-8 bytes as a Latin-1 string. */
export type Ranks = ReadonlyMap<string, number>;

/**
 * The tokens in the order of their ranks, each after a byte with its length.
 * `data/make-token-table.ts` writes this file.
 */
const file = new URL("../../data/o200k.br", import.meta.url);
/** The tokens that are read before the loader yields to the event loop, about 5 ms of work. */
const tokensInSlice = 10_000;

const contraction = String.raw`(?:'(?:[sS]|[dD]|[mM]|[tT]|[lL][lL]|[vV][eE]|[rR][eE]))?`;
/** Matches the words of a text, which are encoded one by one. The encoding defines this pattern. */
const words = new RegExp(
  [
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+${contraction}`,
    String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*${contraction}`,
    String.raw`\p{N}{1,3}`,
    String.raw` ?[^\s\p{L}\p{N}]+[\r\n/]*`,
    String.raw`\s*[\r\n]+`,
    String.raw`\s+(?!\S)`,
    String.raw`\s+`,
  ].join("|"),
  "gu",
);

/** Reads the table synchronously, which takes about 0.1 s. */
export function readRanks(): Ranks {
  const ranks = new Map<string, number>();
  for (const _ of addRanks(ranks, brotliDecompressSync(readFileSync(file))));
  return ranks;
}

/** Reads the table without blocking the event loop. */
export async function loadRanks(): Promise<Ranks> {
  const ranks = new Map<string, number>();
  const content = await promisify(brotliDecompress)(await readFile(file));
  for (const _ of addRanks(ranks, content)) await nextTurn();
  return ranks;
}

/** Yields after each slice. */
function* addRanks(ranks: Map<string, number>, content: Buffer): Generator<void> {
  for (let at = 0; at < content.length;) {
    const end = at + 1 + (content[at] ?? 0);
    ranks.set(content.toString("latin1", at + 1, end), ranks.size);
    at = end;
    if (ranks.size % tokensInSlice === 0) yield;
  }
}

/** Returns the number of tokens of a text. Its time grows with the square of the text's longest word. */
export function countWithRanks(text: string, ranks: Ranks): number {
  let tokens = 0;
  for (const [word] of text.matchAll(words)) {
    const bytes = Buffer.from(word, "utf8").toString("latin1");
    tokens += ranks.has(bytes) ? 1 : mergedParts(bytes, ranks);
  }
  return tokens;
}

/**
 * Merges the neighbours with the lowest rank until no two neighbours form a token, and returns the
 * number of remaining parts.
 */
function mergedParts(bytes: string, ranks: Ranks): number {
  /** The start of each part, and the end of the text. */
  const starts = Array.from({ length: bytes.length + 1 }, (_, index) => index);
  const rankAt = (part: number) =>
    ranks.get(bytes.slice(starts[part], starts[part + 2])) ?? Infinity;
  /** The rank of each part merged with the next one. */
  const joined = Array.from({ length: bytes.length - 1 }, (_, part) => rankAt(part));
  for (;;) {
    let lowest = Infinity;
    let part = -1;
    // Use an index in this innermost loop, because entries() creates an array for each pair.
    for (let index = 0; index < joined.length; index++) {
      const rank = joined[index] ?? Infinity;
      if (rank < lowest) [lowest, part] = [rank, index];
    }
    if (part === -1) return starts.length - 1;
    starts.splice(part + 1, 1);
    joined.splice(part, 1);
    if (part < joined.length) joined[part] = rankAt(part);
    if (part > 0) joined[part - 1] = rankAt(part - 1);
  }
}
