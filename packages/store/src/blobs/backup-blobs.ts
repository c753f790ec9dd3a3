import type { BlobStore } from "./blob-store.ts";

/** The tables whose rows refer to blobs. */
const referringTables = ["run_blobs", "files", "upload_parts"] as const;

/**
 * Returns an SQL query of the hashes to which rows refer.
 *
 * @param known whether a table exists, for databases of older versions
 */
export function referencedHashes(known: (table: string) => boolean = () => true): string {
  return referringTables
    .filter((table) => known(table))
    .map((table) => `SELECT sha256 FROM ${table}`)
    .join(" UNION ");
}

/** An SQLite connection. */
interface Connection {
  readonly exec: (text: string) => void;
  readonly run: (text: string, ...values: (string | Uint8Array)[]) => number;
  readonly get: (text: string) => unknown;
  readonly all: (text: string) => readonly unknown[];
}

const findBlobTable = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'backup_blobs'";

/**
 * Adds the blobs of a store to a copy of its database, so that the backup is a single file.
 *
 * @param copy a copy of the database that no other connection has open
 */
export async function addBackupBlobs(
  copy: Connection,
  blobs: Pick<BlobStore, "get">,
): Promise<void> {
  copy.exec("CREATE TABLE backup_blobs (sha256 TEXT PRIMARY KEY, bytes BLOB NOT NULL)");
  const exists = (table: string) =>
    copy.get(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = '${table}'`) !==
    undefined;
  const rows = copy.all(referencedHashes(exists));
  for (const { sha256 } of rows as readonly { readonly sha256: string }[]) {
    const bytes = await blobs.get(sha256);
    // If the bytes are missing, the blob's rows were deleted after the copy was made, or the store
    // has lost the blob.
    if (bytes !== undefined) copy.run("INSERT INTO backup_blobs VALUES (?, ?)", sha256, bytes);
  }
}

/** Moves the blobs of a restored backup from its database to the data directory. */
export async function takeBackupBlobs(
  sql: Connection,
  blobs: Pick<BlobStore, "put">,
): Promise<void> {
  if (sql.get(findBlobTable) === undefined) return;
  for (;;) {
    const row = sql.get("SELECT sha256, bytes FROM backup_blobs LIMIT 1") as
      | { readonly sha256: string; readonly bytes: Uint8Array }
      | undefined;
    if (row === undefined) break;
    await blobs.put(row);
    sql.run("DELETE FROM backup_blobs WHERE sha256 = ?", row.sha256);
  }
  sql.exec("DROP TABLE backup_blobs");
}
