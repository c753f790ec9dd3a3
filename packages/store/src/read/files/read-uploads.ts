import type { UploadPart, UploadRecord } from "../../records/files.ts";
import { type CheckedRow, isIntact, requireIntact } from "../../schema/row-checksums.ts";
import type { Dialect } from "../../sql/dialect.ts";
import { all, first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";

interface UploadRow extends CheckedRow {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly mime_type: string;
  readonly bytes: number;
  readonly purpose: string;
  readonly file_ms: number | null;
  readonly status: string;
  readonly created_at: number;
  readonly expires_at: number;
  readonly file_id: string | null;
}

interface PartRow extends CheckedRow {
  readonly id: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly created_at: number;
}

const selectUpload = (dialect: Dialect) =>
  `SELECT id, owner, name, mime_type, bytes, purpose, file_ms, status, created_at, expires_at, file_id,
    ${isIntact(dialect, "uploads", "uploads")} AS is_intact FROM uploads WHERE id = ? AND owner = ?`;

const findUpload = statement<UploadRow>({ reads: ["uploads"] }, selectUpload);

/** Finds an upload for a decision. */
const lockUpload = statement<UploadRow>(
  { reads: ["uploads"] },
  (dialect) => `${selectUpload(dialect)}${dialect.lock("uploads")}`,
);

const findParts = statement<PartRow>(
  { reads: ["upload_parts"] },
  (dialect) => `SELECT id, bytes, sha256, created_at,
    ${isIntact(dialect, "upload_parts", "upload_parts")} AS is_intact
    FROM upload_parts WHERE upload_id = ? AND owner = ?`,
);

interface UploadQuery {
  readonly owner: string;
  readonly id: string;
  readonly at: number;
}

/** Returns an upload. */
export function* getUpload(query: UploadQuery): Script<UploadRecord | undefined> {
  const row = yield* first(findUpload, query.id, query.owner);
  return row && uploadRecord(row, query.at);
}

/** Returns an upload, and locks its row until the commit. */
export function* getUploadLocked(query: UploadQuery): Script<UploadRecord | undefined> {
  const row = yield* first(lockUpload, query.id, query.owner);
  return row && uploadRecord(row, query.at);
}

/** Returns the parts of an upload, in no particular order. */
export function* readUploadParts(query: {
  readonly owner: string;
  readonly id: string;
}): Script<readonly UploadPart[]> {
  const rows = yield* all(findParts, query.id, query.owner);
  requireIntact("upload_parts", ...rows);
  return rows.map(({ id, bytes, sha256, created_at: createdAt }) => ({
    id,
    bytes,
    sha256,
    createdAt,
  }));
}

function uploadRecord(row: UploadRow, at: number): UploadRecord {
  requireIntact("uploads", row);
  const isExpired = row.status === "pending" && row.expires_at <= at;
  return {
    id: row.id,
    owner: row.owner,
    name: row.name,
    mimeType: row.mime_type,
    bytes: row.bytes,
    purpose: row.purpose,
    fileTtlMs: row.file_ms,
    status: isExpired ? "expired" : (row.status as UploadRecord["status"]),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    fileId: row.file_id,
  };
}
