/**
 * `created_seq` numbers rows in the order of creation. It is the time of creation in thousandths of
 * a millisecond, or the previous number plus one if the clock is behind. So it increases in each
 * database, and lists of two stores of a process can be merged by it. PostgreSQL computes it in the
 * trigger `set_created_seq`.
 */
export const perMs = 1_000;

/**
 * Later times are capped at this value, because the number must be exact in JavaScript. No real
 * clock reaches it.
 */
export const latestMs = 8_000_000_000_000;

/**
 * Returns the `created_seq` of a row.
 *
 * @param last the largest number so far
 * @param createdAt in ms since the epoch
 */
export function nextCreatedSeq(last: number, createdAt: number): number {
  return Math.max(last + 1, Math.trunc(Math.min(createdAt, latestMs)) * perMs);
}
