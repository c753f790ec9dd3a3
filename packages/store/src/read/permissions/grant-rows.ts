import type { Grant } from "@capstan/core";
import type { GrantRecord } from "../../records/records.ts";

/** Those that hold at a time in ms since the epoch. */
export const activeAt = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)";

/** With the conversation that the session's newest run belongs to. */
export const selectGrants = `SELECT owner, session_id, data, revoked_at,
  (SELECT conversation_id FROM runs WHERE runs.session_id = grants.session_id
     AND conversation_id IS NOT NULL ORDER BY n DESC LIMIT 1) AS conversation_id FROM grants`;

export interface GrantRow {
  readonly owner: string;
  readonly session_id: string | null;
  readonly data: string;
  readonly revoked_at: number | null;
  readonly conversation_id: string | null;
}

export function grantRecord(row: GrantRow): GrantRecord {
  return {
    owner: row.owner,
    sessionId: row.session_id,
    grant: JSON.parse(row.data) as Grant,
    revokedAt: row.revoked_at,
    conversationId: row.conversation_id,
  };
}
