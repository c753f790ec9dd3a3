import type { Grant } from "@capstan/core";
import { type GrantRow, grantRecord, selectGrants } from "../grant-rows.ts";
import type { OutcomeOf, StoreWrite } from "../store-write.ts";
import type { Writing } from "./writing.ts";

type CreateGrant = Extract<StoreWrite, { type: "create-grant" }>;
type RevokeGrant = Extract<StoreWrite, { type: "revoke-grant" }>;

/** @returns whether it is new: a loop that is taken up again may give it a second time */
export function insertGrant(
  { sql }: Writing,
  owner: string,
  sessionId: string | null,
  grant: Grant,
): boolean {
  const changes = sql.run(
    `INSERT INTO grants (id, owner, session_id, tool_id, created_at, expires_at, data) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
    grant.id,
    owner,
    sessionId,
    grant.toolId,
    grant.createdAt,
    grant.expiresAt ?? null,
    JSON.stringify(grant),
  );
  return changes > 0;
}

export function createGrant(writing: Writing, write: CreateGrant): OutcomeOf<CreateGrant> {
  if (insertGrant(writing, write.owner, write.sessionId, write.grant)) return { status: "created" };
  return {
    status: "refused",
    reason: `There is a grant ${write.grant.id} already: give each a new random id.`,
  };
}

/** Revoking twice is the same as once: the first time stands. */
export function revokeGrant(
  { sql }: Writing,
  write: RevokeGrant,
  at: number,
): OutcomeOf<RevokeGrant> {
  sql.run(
    "UPDATE grants SET revoked_at = ? WHERE id = ? AND owner = ? AND revoked_at IS NULL",
    at,
    write.id,
    write.owner,
  );
  const row = sql.get<GrantRow>(
    `${selectGrants} WHERE id = ? AND owner = ?`,
    write.id,
    write.owner,
  );
  return row === undefined
    ? { status: "not_found" }
    : { status: "revoked", grant: grantRecord(row) };
}
