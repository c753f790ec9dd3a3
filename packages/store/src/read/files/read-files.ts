import type { FileRecord, FileSource } from "../../records/files.ts";
import type { CreationCursor, CorruptPermission, Page } from "../../records/records.ts";
import { type CheckedRow, isIntact, requireIntact } from "../../schema/row-checksums.ts";
import type { Dialect } from "../../sql/dialect.ts";
import { all, first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import { corruptPermission, newest, pageOf, readable } from "../page.ts";

interface FileRow extends CheckedRow {
  readonly id: string;
  readonly owner: string;
  readonly name: string;
  readonly mime_type: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly purpose: string;
  readonly source: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly created_seq: number;
}

const selectFiles = (dialect: Dialect) =>
  `SELECT id, owner, name, mime_type, bytes, sha256, purpose, source, created_at, expires_at, created_seq,
    ${isIntact(dialect, "files", "files")} AS is_intact FROM files`;

/** A file that has expired reads as absent before it is deleted. */
const isValid = "(expires_at IS NULL OR expires_at > ?)";

const findFile = statement<FileRow>(
  { reads: ["files"] },
  (dialect) => `${selectFiles(dialect)} WHERE id = ? AND owner = ? AND ${isValid}`,
);

const findFiles = statement<FileRow>(
  { reads: ["files"] },
  // Without the plus, SQLite reads all files of the owner to find a few.
  (dialect) =>
    `${selectFiles(dialect)} WHERE id ${dialect.anyOf} AND ${dialect.name === "sqlite" ? "+" : ""}owner = ? AND ${isValid}`,
);

const findCursor = statement<{ id: string; created_seq: number }>(
  { reads: ["files"] },
  "SELECT id, created_seq FROM files WHERE id = ? AND owner = ?",
);

/**
 * Selects a file of a conversation: a tool made it in a run of the conversation, or one of these
 * runs refers to its bytes.
 */
const isInConversation = `(EXISTS (SELECT 1 FROM run_files f JOIN runs r ON r.n = f.run_n
        WHERE f.file_id = files.id AND r.conversation_id = ? AND r.owner = files.owner)
      OR EXISTS (SELECT 1 FROM run_blobs b JOIN runs r ON r.n = b.run_n
        WHERE b.sha256 = files.sha256 AND b.owner = files.owner AND r.conversation_id = ?))`;

const page = (order: "asc" | "desc", more = "TRUE") =>
  statement<FileRow>(
    { reads: more === "TRUE" ? ["files"] : ["files", "run_files", "run_blobs", "runs"] },
    (dialect) => `${selectFiles(dialect)} WHERE owner = ? AND ${isValid}
      AND (CAST(? AS TEXT) IS NULL OR purpose = ?) AND ${more}
      AND (created_seq, id) ${order === "asc" ? ">" : "<"} (?, ?)
      ORDER BY created_seq ${order}, id ${order} LIMIT ?`,
  );

const pages = { asc: page("asc"), desc: page("desc") };

const pagesOfConversation = {
  asc: page("asc", isInConversation),
  desc: page("desc", isInConversation),
};

/** The cursor before all rows of a list in ascending order. */
const oldest: CreationCursor = { createdSeq: -1, id: "" };

function fileRecord(row: FileRow): FileRecord {
  requireIntact("files", row);
  return {
    id: row.id,
    owner: row.owner,
    name: row.name,
    mimeType: row.mime_type,
    bytes: row.bytes,
    sha256: row.sha256,
    purpose: row.purpose,
    source: row.source as FileSource,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    createdSeq: row.created_seq,
  };
}

/**
 * Returns a file, unless it has expired.
 *
 * @throws CapstanError `database_corrupt` if its row is corrupt
 */
export function* getFile(query: {
  readonly owner: string;
  readonly id: string;
  readonly at: number;
}): Script<FileRecord | undefined> {
  const row = yield* first(findFile, query.id, query.owner, query.at);
  return row && fileRecord(row);
}

/** Returns those of the given files that exist, by id. */
export function* readFiles(query: {
  readonly owner: string;
  readonly ids: readonly string[];
  readonly at: number;
}): Script<ReadonlyMap<string, FileRecord>> {
  const rows = yield* all(findFiles, query.ids, query.owner, query.at);
  return new Map(rows.map((row) => [row.id, fileRecord(row)]));
}

/** Returns the list cursor of a file, even if its row is corrupt. */
export function* findFileCursor(query: {
  readonly owner: string;
  readonly id: string;
}): Script<CreationCursor | undefined> {
  const row = yield* first(findCursor, query.id, query.owner);
  return row && { createdSeq: row.created_seq, id: row.id };
}

/** The maximum number of files in a page. */
const maxPage = 10_000;

/** Returns a page of a user's files, by default the newest first. */
export function* listFiles(query: {
  readonly owner: string;
  readonly purpose?: string;
  /** The conversation whose runs made the files, or have their bytes. @default any, or none */
  readonly conversationId?: string;
  /** @default 10000, the maximum */
  readonly limit?: number;
  /** @default "desc" */
  readonly order?: "asc" | "desc";
  readonly after?: CreationCursor;
  readonly at: number;
}): Script<Page<FileRecord | CorruptPermission>> {
  const { owner, purpose = null, order = "desc", at } = query;
  const limit = Math.min(query.limit ?? maxPage, maxPage);
  const after = query.after ?? (order === "asc" ? oldest : newest);
  const { conversationId } = query;
  const rows = yield* all(
    (conversationId === undefined ? pages : pagesOfConversation)[order],
    owner,
    at,
    purpose,
    purpose,
    ...(conversationId === undefined ? [] : [conversationId, conversationId]),
    after.createdSeq,
    after.id,
    limit + 1,
  );
  return pageOf(rows, limit, (row) => readable(row, fileRecord) ?? corruptPermission(row));
}
