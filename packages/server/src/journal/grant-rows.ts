import type { Grant } from "@capstan/core";
import type { GrantRecord } from "./records.ts";

export const selectGrants = "SELECT owner, session_id, data, revoked_at FROM grants";

export interface GrantRow {
  readonly owner: string;
  readonly session_id: string | null;
  readonly data: string;
  readonly revoked_at: number | null;
}

export function grantRecord(row: GrantRow): GrantRecord {
  return {
    owner: row.owner,
    sessionId: row.session_id,
    grant: JSON.parse(row.data) as Grant,
    revokedAt: row.revoked_at,
  };
}
