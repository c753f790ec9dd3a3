import { readable } from "../../read/page.ts";
import {
  credentialRecord,
  type CredentialRow,
  selectCredentials,
} from "../../read/connections/read-credentials.ts";
import type { CredentialKey } from "../../records/connections.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import { all, first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import type { WriteContext } from "../state/write-context.ts";

type SaveCredential = Extract<StoreWrite, { type: "save-credential" }>;
type ClaimCredential = Extract<StoreWrite, { type: "claim-credential" }>;
type DeleteCredential = Extract<StoreWrite, { type: "delete-credential" }>;

const lockCredential = statement<CredentialRow>(
  { reads: ["credentials"] },
  (dialect) =>
    `${selectCredentials(dialect)} WHERE connection = ? AND owner = ? AND field = ?${dialect.lock("credentials")}`,
);

/** Expired rows of other keys: the row of the key itself is replaced. */
const findExpired = statement<CredentialKey>(
  { reads: ["credentials"] },
  "SELECT connection, owner, field FROM credentials WHERE expires_at <= ? ORDER BY expires_at LIMIT 100",
);

const wipeCredential = statement(
  { writes: ["credentials"] },
  "DELETE FROM credentials WHERE connection = ? AND owner = ? AND field = ?",
);

/** Stores an encrypted credential, ends the claim on it, and deletes expired ones. */
export function* saveCredential(
  { changes }: WriteContext,
  { key, sealed, state, expiresAt, ifRevision }: SaveCredential,
  at: number,
): Script<OutcomeOf<SaveCredential>> {
  const { connection, owner, field } = key;
  const row = yield* first(lockCredential, connection, owner, field);
  if (ifRevision !== undefined && row?.revision !== ifRevision) return { status: "stale" };
  for (const old of yield* all(findExpired, at))
    if (old.connection !== connection || old.owner !== owner || old.field !== field)
      changes.wipe(wipeCredential, old.connection, old.owner, old.field);
  // Greater than the revision of a deleted row with the same key.
  const revision = Math.max(at, (row?.revision ?? 0) + 1);
  const cells = {
    revision,
    sealed,
    state,
    expires_at: expiresAt,
    claimed_by: null,
    claimed_until: null,
    updated_at: at,
  };
  const isCorrupt = row !== undefined && readable(row, credentialRecord) === undefined;
  // An update would leave a corrupt row corrupt, so the row is replaced.
  if (isCorrupt) changes.remove("credentials", { connection, owner, field });
  if (row === undefined || isCorrupt)
    changes.insert("credentials", { connection, owner, field, ...cells });
  else changes.update("credentials", { connection, owner, field }, cells);
  return { status: "saved_credential", revision };
}

/** Claims the right to refresh a credential with this revision, or ends the claim. */
export function* claimCredential(
  { changes }: WriteContext,
  { key, revision, holder, ms }: ClaimCredential,
  at: number,
): Script<OutcomeOf<ClaimCredential>> {
  const { connection, owner, field } = key;
  const row = yield* first(lockCredential, connection, owner, field);
  if (row === undefined || row.revision !== revision) return { status: "stale" };
  const isFree = row.claimed_until === null || row.claimed_until <= at;
  if (!isFree && row.claimed_by !== holder) return { status: "taken" };
  changes.update(
    "credentials",
    { connection, owner, field },
    ms === 0
      ? { claimed_by: null, claimed_until: null }
      : { claimed_by: holder, claimed_until: at + ms },
  );
  return { status: "claimed_credential" };
}

/** Deletes a credential. */
export function* deleteCredential(
  { changes }: WriteContext,
  { key }: DeleteCredential,
): Script<OutcomeOf<DeleteCredential>> {
  const { connection, owner, field } = key;
  const row = yield* first(lockCredential, connection, owner, field);
  if (row === undefined) return { status: "not_found" };
  changes.wipe(wipeCredential, connection, owner, field);
  return { status: "removed" };
}
