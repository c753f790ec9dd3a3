import type { CreationCursor, DamagedPermission, DamagedRecord, Page } from "../records/records.ts";

/** Rows asked for, one more than a page holds: the last says whether there are more. */
export function pageLimit(limit = 20): number {
  return Math.min(Math.max(Math.trunc(limit), 1), 1_000);
}

/** Reads a row of a list, or returns `undefined` if the row is damaged: the others are shown. */
export function readable<Row, T>(row: Row, record: (row: Row) => T): T | undefined {
  try {
    return record(row);
  } catch {
    return undefined;
  }
}

export function damagedRecord({ id }: { readonly id: unknown }): DamagedRecord {
  return { id: String(id), isDamaged: true };
}

export function damagedPermission(row: {
  readonly id: unknown;
  readonly created_seq: unknown;
}): DamagedPermission {
  return { ...damagedRecord(row), createdSeq: Number(row.created_seq) || 0 };
}

/** Before all rows of a list. */
export const newest: CreationCursor = { createdSeq: Number.MAX_SAFE_INTEGER, id: "" };

export function pageOf<Row, T>(
  rows: readonly Row[],
  limit: number,
  record: (row: Row) => T,
): Page<T> {
  return { data: rows.slice(0, limit).map(record), hasMore: rows.length > limit };
}
