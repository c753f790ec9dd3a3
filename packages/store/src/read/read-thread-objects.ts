import type { JsonObject } from "@capstan/core";
import type { ThreadObjectKind, ThreadObjectRecord } from "../records/records.ts";
import { type CheckedRow, isIntact, requireIntact } from "../schema/row-checksums.ts";
import type { Dialect } from "../sql/dialect.ts";
import { all, first, type Script } from "../sql/script.ts";
import { statement } from "../sql/statement.ts";

/** The columns of an object of a thread; add a `WHERE`. */
export const selectThreadObjects = (dialect: Dialect) =>
  `SELECT id, owner, conversation_id, kind, created_at, updated_at, data,
    ${isIntact(dialect, "thread_objects", "thread_objects")} AS is_intact FROM thread_objects`;

/** A row of `selectThreadObjects`. */
export interface ThreadObjectRow extends CheckedRow {
  readonly id: string;
  readonly owner: string;
  readonly conversation_id: string;
  readonly kind: ThreadObjectKind;
  readonly created_at: number;
  readonly updated_at: number;
  readonly data: string;
}

/**
 * Returns the object of a row.
 *
 * @throws CapstanError `database_corrupt` if the row is corrupt
 */
export function threadObjectRecord(row: ThreadObjectRow): ThreadObjectRecord {
  requireIntact("thread_objects", row);
  return {
    id: row.id,
    owner: row.owner,
    conversationId: row.conversation_id,
    kind: row.kind,
    data: JSON.parse(row.data) as JsonObject,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

const findObjects = statement<ThreadObjectRow>(
  { reads: ["thread_objects"] },
  (dialect) =>
    `${selectThreadObjects(dialect)} WHERE conversation_id = ? AND owner = ? ORDER BY created_seq, id`,
);

const findObject = statement<ThreadObjectRow>(
  { reads: ["thread_objects"] },
  (dialect) => `${selectThreadObjects(dialect)} WHERE id = ? AND owner = ?`,
);

/** Returns all objects of a conversation, in the order of their creation. */
export function* listThreadObjects({
  owner,
  conversationId,
}: {
  readonly owner: string;
  readonly conversationId: string;
}): Script<readonly ThreadObjectRecord[]> {
  return (yield* all(findObjects, conversationId, owner)).map(threadObjectRecord);
}

/** Returns an object of a thread. */
export function* getThreadObject({
  owner,
  id,
}: {
  readonly owner: string;
  readonly id: string;
}): Script<ThreadObjectRecord | undefined> {
  const row = yield* first(findObject, id, owner);
  return row && threadObjectRecord(row);
}
