/**
 * Returns how long to wait before the next attempt: half a second, doubled each time up to `limit`,
 * less up to a half at random, so that many clients do not come back at once.
 *
 * @param attempt counted from 0
 * @param limit milliseconds: what a user may wait for a server that is there again @default 1500
 * @returns milliseconds
 * @example backoffDelay(3) // 750 to 1500
 */
export function backoffDelay(attempt: number, limit = 1_500, random = Math.random): number {
  const full = Math.min(500 * 2 ** attempt, limit);
  return full - (full / 2) * random();
}
