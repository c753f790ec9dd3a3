/**
 * Words as 32-bit hashes, which take a tenth of the memory. Once in millions of searches, two
 * words have the same hash, which can change the order of the results.
 */
export type WordHashes = Uint32Array;

/** Returns the hashes of words. */
export function hashWords(words: readonly string[]): WordHashes {
  return Uint32Array.from(words, hashWord);
}

/** Returns the FNV-1a hash of a word. */
export function hashWord(word: string): number {
  let hash = 0x81_1c_9d_c5;
  for (let at = 0; at < word.length; at += 1)
    hash = Math.imul(hash ^ word.charCodeAt(at), 0x01_00_01_93);
  return hash >>> 0;
}
