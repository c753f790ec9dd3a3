import type { CredentialRecord } from "../../records/connections.ts";
import { type CheckedRow, isIntact, requireIntact } from "../../schema/row-checksums.ts";
import type { Dialect } from "../../sql/dialect.ts";
import { all, first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import { readable } from "../page.ts";

/** The columns of a credential; add a `WHERE`. */
export const selectCredentials = (dialect: Dialect) =>
  `SELECT connection, owner, field, revision, sealed, state, expires_at, claimed_by, claimed_until, updated_at,
    ${isIntact(dialect, "credentials", "credentials")} AS is_intact
  FROM credentials`;

/** A row of `selectCredentials`. */
export interface CredentialRow extends CheckedRow {
  readonly connection: string;
  readonly owner: string;
  readonly field: string;
  readonly revision: number;
  readonly sealed: string;
  readonly state: string;
  readonly expires_at: number | null;
  readonly claimed_by: string | null;
  readonly claimed_until: number | null;
  readonly updated_at: number;
}

/**
 * Returns the credential of a row.
 *
 * @throws CapstanError `database_corrupt` if the row is corrupt
 */
export function credentialRecord(row: CredentialRow): CredentialRecord {
  requireIntact("credentials", row);
  return {
    connection: row.connection,
    owner: row.owner,
    field: row.field,
    revision: row.revision,
    sealed: row.sealed,
    state: row.state === "ready" ? "ready" : "needs_sign_in",
    expiresAt: row.expires_at,
    updatedAt: row.updated_at,
  };
}

const findCredential = statement<CredentialRow>(
  { reads: ["credentials"] },
  (dialect) => `${selectCredentials(dialect)} WHERE connection = ? AND owner = ? AND field = ?`,
);

const findCredentials = statement<CredentialRow>(
  { reads: ["credentials"] },
  (dialect) => `${selectCredentials(dialect)} WHERE connection = ? ORDER BY owner, field`,
);

const findAllCredentials = statement<CredentialRow>(
  { reads: ["credentials"] },
  (dialect) => `${selectCredentials(dialect)} ORDER BY connection, owner, field`,
);

/** Returns an encrypted credential. */
export function* getCredential({
  connection,
  owner,
  field,
}: {
  connection: string;
  owner: string;
  field: string;
}): Script<CredentialRecord | undefined> {
  const row = yield* first(findCredential, connection, owner, field);
  return row && credentialRecord(row);
}

/** Returns the encrypted credentials of a connection, or of all, without corrupt ones. */
export function* everyCredential({
  connection,
}: {
  connection?: string | undefined;
}): Script<readonly CredentialRecord[]> {
  const rows =
    connection === undefined
      ? yield* all(findAllCredentials)
      : yield* all(findCredentials, connection);
  return rows.flatMap((row) => readable(row, credentialRecord) ?? []);
}
