import type { RunStatus, Switches } from "@capstan/contract";
import type { ConversationRecord } from "../records/records.ts";

/** The columns of a conversation with its head's status; add a `WHERE`. */
export const selectConversations = `SELECT c.id, c.owner, c.title, c.metadata, c.switches, c.head_run_id,
  r.status AS head_status, c.created_at, c.updated_at FROM conversations c LEFT JOIN runs r ON r.id = c.head_run_id`;

export interface ConversationRow {
  readonly id: string;
  readonly owner: string;
  readonly title: string;
  readonly metadata: string;
  readonly switches: string;
  readonly head_run_id: string | null;
  readonly head_status: RunStatus | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export function conversationRecord(row: ConversationRow): ConversationRecord {
  return {
    id: row.id,
    owner: row.owner,
    title: row.title,
    metadata: JSON.parse(row.metadata) as ConversationRecord["metadata"],
    switches: JSON.parse(row.switches) as Switches,
    headRunId: row.head_run_id,
    headStatus: row.head_status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
