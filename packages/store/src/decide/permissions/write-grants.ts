import type { Grant } from "@capstan/core";
import { type GrantRow, grantTables, selectGrants } from "../../read/permissions/read-grants.ts";
import { first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import type { WriteContext } from "../state/write-context.ts";

type CreateGrant = Extract<StoreWrite, { type: "create-grant" }>;
type RevokeGrant = Extract<StoreWrite, { type: "revoke-grant" }>;

const findById = statement({ reads: ["grants"] }, "SELECT 1 FROM grants WHERE id = ?");

const lockOwned = statement<GrantRow>(
  grantTables,
  (dialect) => `${selectGrants(dialect)} WHERE id = ? AND owner = ?${dialect.lock("grants")}`,
);

const deleteExpired = statement({ writes: ["grants"] }, "DELETE FROM grants WHERE expires_at <= ?");

const deleteRevoked = statement({ writes: ["grants"] }, "DELETE FROM grants WHERE revoked_at <= ?");

/** Stores a grant. A resumed loop can write a grant again: the stored grant is kept. */
export function insertGrant(
  { changes, notes }: WriteContext,
  owner: string,
  sessionId: string | null,
  grant: Grant,
): void {
  changes.insert("grants", {
    id: grant.id,
    owner,
    session_id: sessionId,
    tool_id: grant.toolId,
    created_at: grant.createdAt,
    expires_at: grant.expiresAt === undefined ? null : Math.trunc(grant.expiresAt),
    data: JSON.stringify(grant),
  });
  notes.push({ owner, event: { type: "permissions.changed" } });
}

/** Creates a grant. Rejects an id that is in use. */
export function* createGrant(
  context: WriteContext,
  { owner, sessionId, grant }: CreateGrant,
): Script<OutcomeOf<CreateGrant>> {
  const known = yield* first(findById, grant.id);
  if (known !== undefined) {
    return {
      status: "refused",
      reason: `There is a grant ${grant.id} already: give each a new random id.`,
    };
  }
  insertGrant(context, owner, sessionId, grant);
  return { status: "created" };
}

/** Revokes a grant. Revoking it again does not change the time of revocation. */
export function* revokeGrant(
  { changes, notes }: WriteContext,
  { id, owner }: RevokeGrant,
  at: number,
): Script<OutcomeOf<RevokeGrant>> {
  const row = yield* first(lockOwned, id, owner);
  if (row === undefined) return { status: "not_found" };
  // A corrupt row's other cells cannot be trusted: the grant is revoked in all sessions.
  const sessionId = row.is_intact === 1 ? row.session_id : null;
  const { revoked_at: before } = row;
  if (before !== null) return { status: "revoked", sessionId, revokedAt: before, again: true };
  changes.update("grants", { id, owner }, { revoked_at: at });
  notes.push({ owner, event: { type: "permissions.changed" } });
  return { status: "revoked", sessionId, revokedAt: at, again: false };
}

/**
 * How long a revoked grant is kept as a hidden row. A resumed loop can write the grant again and
 * must find that it was revoked. No run waits longer than this.
 */
const revokedMs = 366 * 24 * 60 * 60 * 1_000;

/** Deletes expired and revoked grants that no user sees and no resumed loop can write again. */
export function deleteEndedGrants({ changes }: WriteContext, at: number): void {
  changes.run(deleteExpired, at);
  changes.run(deleteRevoked, at - revokedMs);
}
