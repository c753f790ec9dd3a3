/**
 * How long to wait before the next attempt: half a second, doubled each time up to `limit`, less
 * up to a half at random, so that many pages do not come back at once. The limit is what a person
 * may wait in front of a server that is there again.
 *
 * @example backoffDelay(3) // 750 … 1500 ms
 */
export function backoffDelay(attempt: number, limit = 1_500, random = Math.random): number {
  const full = Math.min(500 * 2 ** attempt, limit);
  return full - (full / 2) * random();
}
