import type { ConversationState, RunStatus, Switches } from "@capstan/contract";
import type { ConversationRecord, CorruptRecord, Page } from "../records/records.ts";
import { readableStatus } from "../records/run-status.ts";
import { type CheckedRow, isIntact, requireIntact } from "../schema/row-checksums.ts";
import type { Dialect } from "../sql/dialect.ts";
import { all, first, type Script } from "../sql/script.ts";
import { statement } from "../sql/statement.ts";
import { corruptRecord, pageLimit, pageOf, readable } from "./page.ts";

/** The columns of a conversation with its head's status; add a `WHERE`. */
export const selectConversations = (dialect: Dialect) =>
  `SELECT c.id, c.owner, c.title, c.metadata, c.switches, c.head_run_id, r.status AS head_status,
  c.created_at, c.updated_at, c.state, ${isIntact(dialect, "conversations", "c")} AS is_intact
  FROM conversations c LEFT JOIN runs r ON r.id = c.head_run_id`;

/** A row of `selectConversations`. */
export interface ConversationRow extends CheckedRow {
  readonly id: string;
  readonly owner: string;
  readonly title: string;
  readonly metadata: string;
  readonly switches: string;
  readonly head_run_id: string | null;
  readonly head_status: RunStatus | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly state: ConversationState;
}

/**
 * Returns the conversation of a row.
 *
 * @throws CapstanError `database_corrupt` if the row is corrupt
 */
export function conversationRecord(row: ConversationRow): ConversationRecord {
  requireIntact("conversations", row);
  return {
    id: row.id,
    owner: row.owner,
    title: row.title,
    metadata: JSON.parse(row.metadata) as ConversationRecord["metadata"],
    switches: JSON.parse(row.switches) as Switches,
    headRunId: row.head_run_id,
    headStatus: row.head_status && readableStatus(row.head_status),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    state: row.state,
  };
}

const tables = { reads: ["conversations", "runs"] } as const;

const findConversation = statement<ConversationRow>(
  tables,
  (dialect) => `${selectConversations(dialect)} WHERE c.id = ? AND c.owner = ?`,
);

const findPage = statement<ConversationRow>(
  tables,
  (dialect) => `${selectConversations(dialect)} WHERE c.owner = ?
     AND (CAST(? AS TEXT) IS NULL OR c.state = ?) AND (CAST(? AS TEXT) IS NULL
       OR (c.updated_at, c.id) < (SELECT updated_at, id FROM conversations WHERE id = ? AND owner = ?))
   ORDER BY c.updated_at DESC, c.id DESC LIMIT ?`,
);

/** Returns a conversation. */
export function* getConversation(query: {
  owner: string;
  id: string;
}): Script<ConversationRecord | undefined> {
  const row = yield* first(findConversation, query.id, query.owner);
  return row === undefined ? undefined : conversationRecord(row);
}

/**
 * Returns a page of conversations, last changed first, after the conversation `after` of
 * `afterOwner`, by default of the same owner.
 *
 * @param query.state only conversations in this state. @default all
 */
export function* listConversations(query: {
  owner: string;
  state?: ConversationState;
  limit?: number;
  after?: string;
  afterOwner?: string;
}): Script<Page<ConversationRecord | CorruptRecord>> {
  const limit = pageLimit(query.limit);
  const { owner, after = null, afterOwner = owner, state = null } = query;
  const rows = yield* all(findPage, owner, state, state, after, after, afterOwner, limit + 1);
  return pageOf(rows, limit, (row) => readable(row, conversationRecord) ?? corruptRecord(row));
}
