import type { CreationCursor, CorruptPermission, CorruptRecord, Page } from "../records/records.ts";

/**
 * Returns the number of rows to read: one more than the page contains, to detect whether there are
 * more.
 */
export function pageLimit(limit = 20): number {
  return Math.min(Math.max(Math.trunc(limit), 1), 1_000);
}

/**
 * Returns the record of a list's row, or `undefined` if the row is corrupt, so that the list shows
 * the others.
 */
export function readable<Row, T>(row: Row, record: (row: Row) => T): T | undefined {
  try {
    return record(row);
  } catch {
    return undefined;
  }
}

/** Returns the entry of a list for a row that cannot be read. */
export function corruptRecord({ id }: { readonly id: unknown }): CorruptRecord {
  return { id: String(id), isCorrupt: true };
}

/** Returns the entry of a list for an approval or a grant that cannot be read. */
export function corruptPermission(row: {
  readonly id: unknown;
  readonly created_seq: unknown;
}): CorruptPermission {
  return { ...corruptRecord(row), createdSeq: Number(row.created_seq) || 0 };
}

/** The cursor before all rows of a list. */
export const newest: CreationCursor = { createdSeq: Number.MAX_SAFE_INTEGER, id: "" };

/** Returns a page of records from rows that were read with `pageLimit`. */
export function pageOf<Row, T>(
  rows: readonly Row[],
  limit: number,
  record: (row: Row) => T,
): Page<T> {
  return { data: rows.slice(0, limit).map(record), hasMore: rows.length > limit };
}
