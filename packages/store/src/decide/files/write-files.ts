import type { FileQuota, NewFile } from "../../records/files.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import { all, first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import { dropVersions, hideVersions, type Versions } from "../search/drop-versions.ts";
import type { WriteContext } from "../state/write-context.ts";

type CreateFile = Extract<StoreWrite, { type: "create-file" }>;
type DeleteFile = Extract<StoreWrite, { type: "delete-file" }>;
type ExpireFiles = Extract<StoreWrite, { type: "expire-files" }>;

/** The quota is a sum over rows, so another node must not add files of the same user meanwhile. */
const lockOwner = statement(
  {},
  { postgres: "SELECT 1 AS ok FROM pg_advisory_xact_lock(hashtextextended('files ' || ?, 0))" },
);

/** Taken before the lock of an owner, so that two commits cannot wait for each other. */
const lockAll = statement(
  {},
  { postgres: "SELECT 1 AS ok FROM pg_advisory_xact_lock(hashtextextended('all files', 0))" },
);

interface SumRow {
  readonly files: number;
  readonly bytes: number;
}

const sumFiles = statement<SumRow>(
  { reads: ["files"] },
  "SELECT COUNT(*) AS files, CAST(COALESCE(SUM(bytes), 0) AS BIGINT) AS bytes FROM files WHERE owner = ?",
);

const sumParts = statement<SumRow>(
  { reads: ["upload_parts"] },
  "SELECT COUNT(*) AS files, CAST(COALESCE(SUM(bytes), 0) AS BIGINT) AS bytes FROM upload_parts WHERE owner = ?",
);

const sumAll = statement<SumRow>(
  { reads: ["files"] },
  "SELECT COUNT(*) AS files, CAST(COALESCE(SUM(bytes), 0) AS BIGINT) AS bytes FROM files",
);

const sumAllParts = statement<SumRow>(
  { reads: ["upload_parts"] },
  "SELECT COUNT(*) AS files, CAST(COALESCE(SUM(bytes), 0) AS BIGINT) AS bytes FROM upload_parts",
);

const findFile = statement(
  { reads: ["files"] },
  ({ lock }) => `SELECT 1 AS ok FROM files WHERE id = ? AND owner = ?${lock("files")}`,
);

/** The maximum number of rows that one write deletes. */
const mostDeleted = 500;

const findExpired = statement<{ id: string; owner: string }>(
  { reads: ["files"] },
  `SELECT id, owner FROM files WHERE expires_at IS NOT NULL AND expires_at <= ? LIMIT ${mostDeleted}`,
);

const findOld = statement<{ id: string; owner: string }>(
  { reads: ["files"] },
  `SELECT id, owner FROM files WHERE owner = ? AND created_at < ? LIMIT ${mostDeleted}`,
);

const deleteFiles = statement(
  { writes: ["files"] },
  ({ anyOf }) => `DELETE FROM files WHERE id ${anyOf}`,
);

const deleteLinks = statement(
  { writes: ["run_files"] },
  ({ anyOf }) => `DELETE FROM run_files WHERE file_id ${anyOf}`,
);

const findInStores = statement<{
  owner: string;
  store_id: string;
  file_id: string;
  revision: number;
}>(
  { reads: ["search_objects"] },
  ({ anyOf, lock }) => `SELECT owner, parent_id AS store_id, file_id, revision FROM search_objects
    WHERE file_id ${anyOf} ORDER BY id${lock("search_objects")}`,
);

const deleteStoreFiles = statement(
  { writes: ["search_objects"] },
  ({ anyOf }) => `DELETE FROM search_objects WHERE file_id ${anyOf}`,
);

const deleteExpiredParts = statement(
  { writes: ["upload_parts"], reads: ["uploads"] },
  "DELETE FROM upload_parts WHERE upload_id IN (SELECT id FROM uploads WHERE expires_at <= ?)",
);

const deleteOldUploads = statement(
  { writes: ["uploads"] },
  "DELETE FROM uploads WHERE expires_at <= ?",
);

/** How long an upload that has ended can be read, in ms. */
const endedUploadMs = 7 * 24 * 60 * 60 * 1_000;

/**
 * Returns an error text if a user's quota, or the quota of all, does not allow another file of this
 * size. Other nodes wait until the commit.
 *
 * @param freed the bytes of parts that the same commit deletes
 */
export function* overQuota(
  { database }: WriteContext,
  {
    owner,
    bytes,
    quota,
    freed = 0,
  }: {
    readonly owner: string;
    readonly bytes: number;
    readonly quota: FileQuota | undefined;
    readonly freed?: number;
  },
): Script<string | undefined> {
  if (quota === undefined) return undefined;
  const { total } = quota;
  if (database === "postgres" && total !== undefined) yield* all(lockAll);
  if (database === "postgres") yield* all(lockOwner, owner);
  const files = yield* first(sumFiles, owner);
  const parts = yield* first(sumParts, owner);
  if ((files?.files ?? 0) >= quota.files)
    return `You have ${files?.files} files, which is the limit (limits.filesOfOne). Delete files first.`;
  const used = (files?.bytes ?? 0) + (parts?.bytes ?? 0) - freed;
  if (used + bytes > quota.bytes)
    return `Your files use ${used} of ${quota.bytes} bytes, and this one has ${bytes} (limits.fileBytesOfOne). Delete files first.`;
  if (total === undefined) return undefined;
  const everyone = yield* first(sumAll);
  const everyPart = yield* first(sumAllParts);
  if ((everyone?.files ?? 0) >= total.files)
    return `The server stores ${total.files} files, which is its limit (limits.filesOfAll). Ask its administrator.`;
  const usedByAll = (everyone?.bytes ?? 0) + (everyPart?.bytes ?? 0) - freed;
  if (usedByAll + bytes > total.bytes)
    return `The server has no space for a file of ${bytes} bytes: the files of all users may have ${total.bytes} bytes (limits.fileBytesOfAll). Ask its administrator.`;
  return undefined;
}

const findRun = statement<{ n: number }>(
  { reads: ["runs"] },
  ({ lock }) => `SELECT n FROM runs WHERE id = ? AND owner = ?${lock("runs")}`,
);

const findSame = statement(
  { reads: ["files", "run_files"] },
  `SELECT 1 AS ok FROM files JOIN run_files ON run_files.file_id = files.id
    WHERE files.id = ? AND files.owner = ? AND files.sha256 = ? AND run_files.run_n = ?`,
);

/**
 * Creates a file of a blob. A run's file that exists already, with the same bytes, is created too:
 * a run that stopped before it recorded the file stores it again.
 */
export function* createFile(
  context: WriteContext,
  { file, blob, quota }: CreateFile,
  at: number,
): Script<OutcomeOf<CreateFile>> {
  const { owner, runId } = file;
  const run = runId === undefined ? undefined : yield* first(findRun, runId, owner);
  if (runId !== undefined && run === undefined)
    return { status: "refused", reason: `The run ${runId} no longer exists.` };
  if (run !== undefined) {
    const same = yield* first(findSame, file.id, owner, blob.sha256, run.n);
    if (same !== undefined) return { status: "created" };
  }
  const reason = yield* overQuota(context, { owner, bytes: blob.size, quota });
  if (reason !== undefined) return { status: "refused", reason };
  insertFile(context, { file, blob, at });
  if (run !== undefined) context.changes.insert("run_files", { run_n: run.n, file_id: file.id });
  return { status: "created" };
}

/** Adds the row of a file. */
export function insertFile(
  { changes, notes }: WriteContext,
  {
    file,
    blob,
    at,
  }: { readonly file: NewFile; readonly blob: CreateFile["blob"]; readonly at: number },
): void {
  const { id, owner, name, mimeType, purpose, source, ttlMs } = file;
  changes.insert("files", {
    id,
    owner,
    name,
    mime_type: mimeType,
    bytes: blob.size,
    sha256: blob.sha256,
    purpose,
    source,
    created_at: at,
    expires_at: ttlMs === undefined ? null : at + ttlMs,
  });
  notes.push({ owner, event: { type: "file.created", file: id } });
}

/** Deletes a file. Runs that refer to its bytes keep them. */
export function* deleteFile(
  context: WriteContext,
  { owner, id }: DeleteFile,
): Script<OutcomeOf<DeleteFile>> {
  const known = yield* first(findFile, id, owner);
  if (known === undefined) return { status: "not_found" };
  const { changes, notes } = context;
  changes.remove("files", { id });
  changes.remove("run_files", { file_id: id });
  // No index keeps the text of a deleted file.
  const indexed = yield* all(findInStores, [id]);
  for (const each of indexed) yield* dropVersions(context, versionsOf(each));
  if (indexed.length > 0) changes.run(deleteStoreFiles, [id]);
  notes.push({ owner, event: { type: "file.deleted", file: id } });
  return { status: "deleted", runIds: [] };
}

function versionsOf(file: {
  readonly owner: string;
  readonly store_id: string;
  readonly file_id: string;
  readonly revision: number;
}): Versions {
  const { owner, store_id: storeId, file_id: fileId, revision: upTo } = file;
  return { owner, storeId, fileId, upTo };
}

/** Deletes expired files, or a user's files of a certain age, and the parts of expired uploads. */
export function* expireFiles(
  context: WriteContext,
  { older }: ExpireFiles,
  at: number,
): Script<OutcomeOf<ExpireFiles>> {
  const found =
    older === undefined
      ? yield* all(findExpired, at)
      : yield* all(findOld, older.owner, older.before);
  const { changes, notes } = context;
  const ids = found.map(({ id }) => id);
  for (const { id: file, owner } of found)
    notes.push({ owner, event: { type: "file.deleted", file } });
  if (ids.length > 0) {
    for (const each of yield* all(findInStores, ids)) hideVersions(context, versionsOf(each));
    changes.run(deleteFiles, ids);
    changes.run(deleteLinks, ids);
    changes.run(deleteStoreFiles, ids);
  }
  if (older === undefined) {
    changes.run(deleteExpiredParts, at);
    changes.run(deleteOldUploads, at - endedUploadMs);
  }
  return { status: "expired_files", files: found.length, more: found.length === mostDeleted };
}
