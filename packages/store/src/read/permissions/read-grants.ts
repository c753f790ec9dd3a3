import type { Grant } from "@capstan/core";
import type { GrantRecord, Page } from "../../records/records.ts";
import { all, first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import { pageLimit, pageOf } from "../page.ts";

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

/** The tables of `selectGrants`. */
export const grantTables = { reads: ["grants", "runs"] } as const;

const findGrant = statement<GrantRow>(grantTables, `${selectGrants} WHERE id = ? AND owner = ?`);

const findActive = statement<{ data: string }>(
  { reads: ["grants"] },
  `SELECT data FROM grants WHERE owner = ? AND (session_id IS NULL OR session_id = ?)
     AND ${activeAt} ORDER BY created_at, id`,
);

const findPage = statement<GrantRow>(
  grantTables,
  `${selectGrants} WHERE owner = ? AND ${activeAt}
     AND (CAST(? AS TEXT) IS NULL OR session_id IS NULL OR session_id = ?)
     AND (CAST(? AS TEXT) IS NULL OR tool_id = ?)
     AND (CAST(? AS TEXT) IS NULL
       OR (created_at, id) < (SELECT created_at, id FROM grants WHERE id = ? AND owner = ?))
   ORDER BY created_at DESC, id DESC LIMIT ?`,
);

export function* getGrant(query: { owner: string; id: string }): Script<GrantRecord | undefined> {
  const row = yield* first(findGrant, query.id, query.owner);
  return row === undefined ? undefined : grantRecord(row);
}

/** What every run begins with: leaner than a page. */
export function* readGrants(query: {
  owner: string;
  sessionId: string;
  at: number;
}): Script<Grant[]> {
  const rows = yield* all(findActive, query.owner, query.sessionId, query.at);
  return rows.map(({ data }) => JSON.parse(data) as Grant);
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
  const { owner, at, sessionId = null, toolId = null, after = null } = query;
  const rows = yield* all(
    findPage,
    owner,
    at,
    sessionId,
    sessionId,
    toolId,
    toolId,
    after,
    after,
    owner,
    limit + 1,
  );
  return pageOf(rows, limit, grantRecord);
}
