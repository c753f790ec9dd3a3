import type { Page } from "../records/records.ts";

/** Rows asked for, one more than a page holds: the last says whether there are more. */
export function pageLimit(limit = 20): number {
  return Math.min(Math.max(Math.trunc(limit), 1), 1_000);
}

export function pageOf<Row, T>(
  rows: readonly Row[],
  limit: number,
  record: (row: Row) => T,
): Page<T> {
  return { data: rows.slice(0, limit).map(record), hasMore: rows.length > limit };
}
