import { type GrantRow, grantRecord, selectGrants } from "../grant-rows.ts";
import type { GrantRecord, Page } from "../records.ts";
import { all, first, type Script } from "../script.ts";
import { pageLimit, pageOf } from "./page.ts";

export function* getGrant(query: { owner: string; id: string }): Script<GrantRecord | undefined> {
  const row = yield* first<GrantRow>(
    `${selectGrants} WHERE id = ? AND owner = ?`,
    query.id,
    query.owner,
  );
  return row === undefined ? undefined : grantRecord(row);
}

export function* listGrants(query: {
  owner: string;
  sessionId?: string;
  toolId?: string;
  limit?: number;
  after?: string;
  at: number;
}): Script<Page<GrantRecord>> {
  const limit = pageLimit(query.limit);
  const { sessionId = null, toolId = null, after = null } = query;
  const rows = yield* all<GrantRow>(
    `${selectGrants} WHERE owner = ? AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)
       AND (CAST(? AS TEXT) IS NULL OR session_id IS NULL OR session_id = ?)
       AND (CAST(? AS TEXT) IS NULL OR tool_id = ?)
       AND (CAST(? AS TEXT) IS NULL OR (created_at, id) < (SELECT created_at, id FROM grants WHERE id = ? AND owner = ?))
     ORDER BY created_at DESC, id DESC LIMIT ?`,
    query.owner,
    query.at,
    sessionId,
    sessionId,
    toolId,
    toolId,
    after,
    after,
    query.owner,
    limit + 1,
  );
  return pageOf(rows, limit, grantRecord);
}
