import type { Grant } from "@capstan/core";
import type {
  CreationCursor,
  CorruptPermission,
  GrantRecord,
  Page,
} from "../../records/records.ts";
import { type CheckedRow, isIntact, requireIntact } from "../../schema/row-checksums.ts";
import type { Dialect } from "../../sql/dialect.ts";
import { all, first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import { corruptPermission, newest, pageLimit, pageOf, readable } from "../page.ts";

/** The condition for grants in force at a time in ms since the epoch. */
export const activeAt = "revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?)";

/** The columns of a grant, with the conversation of the session's newest run that is not corrupt. */
export const selectGrants = (
  dialect: Dialect,
) => `SELECT id, owner, session_id, data, revoked_at, created_seq,
  ${isIntact(dialect, "grants", "grants")} AS is_intact, (SELECT conversation_id FROM runs WHERE runs.session_id = grants.session_id
     AND conversation_id IS NOT NULL AND ${isIntact(dialect, "runs", "runs")} = 1 ORDER BY n DESC LIMIT 1) AS conversation_id FROM grants`;

/** A row of `selectGrants`. */
export interface GrantRow extends CheckedRow {
  readonly id: string;
  readonly owner: string;
  readonly session_id: string | null;
  readonly data: string;
  readonly revoked_at: number | null;
  readonly created_seq: number;
  readonly conversation_id: string | null;
}

/**
 * Returns the grant of a row.
 *
 * @throws CapstanError `database_corrupt` if the row is corrupt
 */
export function grantRecord(row: GrantRow): GrantRecord {
  requireIntact("grants", row);
  return {
    owner: row.owner,
    sessionId: row.session_id,
    grant: JSON.parse(row.data) as Grant,
    revokedAt: row.revoked_at,
    createdSeq: row.created_seq,
    conversationId: row.conversation_id,
  };
}

/** The tables of `selectGrants`. */
export const grantTables = { reads: ["grants", "runs"] } as const;

const findGrant = statement<GrantRow>(
  grantTables,
  (dialect) => `${selectGrants(dialect)} WHERE id = ? AND owner = ?`,
);

const findActive = statement<{ data: string }>(
  { reads: ["grants"] },
  (dialect) => `SELECT data FROM grants WHERE owner = ? AND (session_id IS NULL OR session_id = ?)
     AND ${activeAt} AND ${isIntact(dialect, "grants", "grants")} = 1 ORDER BY created_seq, id`,
);

const findPage = statement<GrantRow>(
  grantTables,
  (dialect) => `${selectGrants(dialect)} WHERE owner = ? AND ${activeAt}
     AND (CAST(? AS TEXT) IS NULL OR session_id IS NULL OR session_id = ?)
     AND (CAST(? AS TEXT) IS NULL OR tool_id = ?)
     AND (created_seq, id) < (?, ?)
   ORDER BY created_seq DESC, id DESC LIMIT ?`,
);

/** Returns a grant. */
export function* getGrant(query: { owner: string; id: string }): Script<GrantRecord | undefined> {
  const row = yield* first(findGrant, query.id, query.owner);
  return row === undefined ? undefined : grantRecord(row);
}

/**
 * Returns the grants that a new run begins with. A corrupt grant permits nothing: its calls need
 * approval again.
 */
export function* readGrants(query: {
  owner: string;
  sessionId: string;
  at: number;
}): Script<Grant[]> {
  const rows = yield* all(findActive, query.owner, query.sessionId, query.at);
  return rows.map(({ data }) => JSON.parse(data) as Grant);
}

/** Returns a page of grants in force, newest first. */
export function* listGrants(query: {
  owner: string;
  sessionId?: string;
  toolId?: string;
  limit?: number;
  after?: CreationCursor;
  at: number;
}): Script<Page<GrantRecord | CorruptPermission>> {
  const limit = pageLimit(query.limit);
  const { owner, at, sessionId = null, toolId = null, after = newest } = query;
  const rows = yield* all(
    findPage,
    owner,
    at,
    sessionId,
    sessionId,
    toolId,
    toolId,
    after.createdSeq,
    after.id,
    limit + 1,
  );
  return pageOf(rows, limit, (row) => readable(row, grantRecord) ?? corruptPermission(row));
}
