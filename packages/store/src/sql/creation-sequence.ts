/**
 * `created_seq` is a row's number in the order of creation: the time of creation in thousandths of a ms, or the next
 * number after the last one if the clock is behind. So it rises in each database, and two stores of a process can
 * be merged by it. PostgreSQL computes it in the trigger `set_created_seq`.
 */
export const perMs = 1_000;

/** Later times, which no clock has, do not count: the number must be exact in JavaScript. */
export const latestMs = 8_000_000_000_000;

/** Returns the number of a row that is created at a time in ms since the epoch. */
export function nextCreatedSeq(last: number, createdAt: number): number {
  return Math.max(last + 1, Math.trunc(Math.min(createdAt, latestMs)) * perMs);
}
