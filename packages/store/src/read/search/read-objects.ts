import type { JsonObject } from "@capstan/core";
import type { CreationCursor } from "../../records/records.ts";
import {
  type FileCount,
  type SearchObject,
  type SearchObjectKind,
  wholeStore,
} from "../../records/search.ts";
import { type CheckedRow, isIntact, requireIntact } from "../../schema/row-checksums.ts";
import type { Dialect } from "../../sql/dialect.ts";
import { all, first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";

/** The columns of an object; add a `WHERE`. */
export const selectObjects = (dialect: Dialect) =>
  `SELECT id, owner, kind, parent_id, batch_id, file_id, status, bytes, revision, created_at, updated_at,
    data, created_seq, ${isIntact(dialect, "search_objects", "search_objects")} AS is_intact FROM search_objects`;

/** A condition that is false for files and batches of a deleted store. */
export const isOfStore = `(parent_id IS NULL OR NOT EXISTS (
    SELECT 1 FROM hidden_chunks WHERE store_id = parent_id AND file_id = '${wholeStore}'))`;

/** A row of `selectObjects`. */
export interface SearchObjectRow extends CheckedRow {
  readonly id: string;
  readonly owner: string;
  readonly kind: SearchObjectKind;
  readonly parent_id: string | null;
  readonly batch_id: string | null;
  readonly file_id: string | null;
  readonly status: SearchObject["status"];
  readonly bytes: number;
  readonly revision: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly data: string;
  readonly created_seq: number;
}

/**
 * Returns the object of a row.
 *
 * @throws CapstanError `database_corrupt` if the row is corrupt
 */
export function searchObject(row: SearchObjectRow): SearchObject {
  requireIntact("search_objects", row);
  return {
    id: row.id,
    owner: row.owner,
    kind: row.kind,
    parentId: row.parent_id,
    batchId: row.batch_id,
    fileId: row.file_id,
    status: row.status,
    bytes: row.bytes,
    revision: row.revision,
    data: JSON.parse(row.data) as JsonObject,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    createdSeq: row.created_seq,
  };
}

const findObject = statement<SearchObjectRow>(
  { reads: ["search_objects", "hidden_chunks"] },
  (dialect) => `${selectObjects(dialect)} WHERE id = ? AND owner = ? AND ${isOfStore}`,
);

const page = (of: string, order: "asc" | "desc") =>
  statement<SearchObjectRow>(
    { reads: ["search_objects", "hidden_chunks"] },
    (dialect) => `${selectObjects(dialect)} WHERE owner = ? AND ${of} AND ${isOfStore}
      AND (CAST(? AS TEXT) IS NULL OR status = ?)
      AND (created_seq, id) ${order === "asc" ? ">" : "<"} (?, ?)
      ORDER BY created_seq ${order}, id ${order} LIMIT ?`,
  );

const pages = {
  stores: {
    asc: page("kind = 'store' AND CAST(? AS TEXT) IS NULL", "asc"),
    desc: page("kind = 'store' AND CAST(? AS TEXT) IS NULL", "desc"),
  },
  store: {
    asc: page("kind = 'file' AND parent_id = ?", "asc"),
    desc: page("kind = 'file' AND parent_id = ?", "desc"),
  },
  batch: {
    asc: page("kind = 'file' AND batch_id = ?", "asc"),
    desc: page("kind = 'file' AND batch_id = ?", "desc"),
  },
};

const countFiles = statement<{
  parent_id: string;
  status: SearchObject["status"];
  files: number;
  bytes: number;
}>(
  { reads: ["search_objects", "hidden_chunks"] },
  ({ anyOf }) => `SELECT parent_id, status, COUNT(*) AS files, CAST(SUM(bytes) AS BIGINT) AS bytes
    FROM search_objects WHERE kind = 'file' AND parent_id ${anyOf} AND owner = ? AND ${isOfStore} GROUP BY parent_id, status`,
);

const countBatch = statement<{
  parent_id: string;
  status: SearchObject["status"];
  files: number;
  bytes: number;
}>(
  { reads: ["search_objects", "hidden_chunks"] },
  `SELECT batch_id AS parent_id, status, COUNT(*) AS files, CAST(SUM(bytes) AS BIGINT) AS bytes
    FROM search_objects WHERE kind = 'file' AND batch_id = ? AND owner = ? AND ${isOfStore} GROUP BY batch_id, status`,
);

const isUnindexed = "kind = 'file' AND status = 'in_progress'";

const findUnindexed = statement<SearchObjectRow>(
  { reads: ["search_objects", "hidden_chunks"] },
  (dialect) => `${selectObjects(dialect)} WHERE ${isUnindexed} AND owner = ?
    AND created_seq > ? AND ${isOfStore} ORDER BY created_seq LIMIT 50`,
);

/** Reads one row of the index for each user, however many files the users have. */
const findUnindexedOwners = statement<{ owner: string }>(
  { reads: ["search_objects"] },
  `WITH RECURSIVE users (owner) AS (
      SELECT MIN(owner) FROM search_objects WHERE ${isUnindexed} AND owner > ?
      UNION ALL SELECT (SELECT MIN(s.owner) FROM search_objects s WHERE ${isUnindexed} AND s.owner > users.owner)
        FROM users WHERE users.owner IS NOT NULL)
    SELECT owner FROM users WHERE owner IS NOT NULL LIMIT 500`,
);

/** Returns a vector store, a file of one, or a batch. */
export function* getSearchObject({
  owner,
  id,
}: {
  readonly owner: string;
  readonly id: string;
}): Script<SearchObject | undefined> {
  const row = yield* first(findObject, id, owner);
  return row && searchObject(row);
}

/**
 * Returns a user's vector stores, or the files of a vector store or a batch. Corrupt rows are left
 * out.
 */
export function* listSearchObjects(query: {
  readonly owner: string;
  /** @default the vector stores of the user */
  readonly of?: { readonly type: "store" | "batch"; readonly id: string };
  readonly status?: SearchObject["status"];
  readonly order: "asc" | "desc";
  readonly after?: CreationCursor;
  readonly limit: number;
}): Script<readonly SearchObject[]> {
  const { owner, of, status = null, order, limit } = query;
  const start =
    order === "asc" ? { createdSeq: -1, id: "" } : { createdSeq: Number.MAX_SAFE_INTEGER, id: "" };
  const list = pages[of?.type ?? "stores"][order];
  const found: SearchObject[] = [];
  let after = query.after ?? start;
  while (found.length < limit) {
    const { createdSeq, id } = after;
    const cells = [owner, of?.id ?? null, status, status, createdSeq, id, limit] as const;
    const rows = yield* all(list, ...cells);
    found.push(...intact(rows));
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit) break;
    after = { createdSeq: last.created_seq, id: last.id };
  }
  return found.slice(0, limit);
}

/** Returns the objects of the rows that are not corrupt, so that these do not hide the others. */
function intact(rows: readonly SearchObjectRow[]): readonly SearchObject[] {
  return rows.filter((row) => row.is_intact === 1).map(searchObject);
}

/** Returns the number of files of vector stores in each status. */
export function* countStoreFiles({
  owner,
  ids,
}: {
  readonly owner: string;
  readonly ids: readonly string[];
}): Script<readonly FileCount[]> {
  return (yield* all(countFiles, ids, owner)).map(fileCount);
}

/** Returns the number of files of a batch in each status. */
export function* countBatchFiles({
  owner,
  id,
}: {
  readonly owner: string;
  readonly id: string;
}): Script<readonly FileCount[]> {
  return (yield* all(countBatch, id, owner)).map(fileCount);
}

function fileCount({
  parent_id: parentId,
  ...count
}: {
  readonly parent_id: string;
  readonly status: SearchObject["status"];
  readonly files: number;
  readonly bytes: number;
}): FileCount {
  return { parentId, ...count };
}

/** Returns users with files that are not indexed yet, at most 500. */
export function* everyUnindexedOwner({
  after,
}: {
  readonly after: string;
}): Script<readonly string[]> {
  return (yield* all(findUnindexedOwners, after)).map(({ owner }) => owner);
}

/** Returns files of a user that are not indexed yet, oldest first, at most 50. */
export function* listUnindexed({
  owner,
  after,
}: {
  readonly owner: string;
  readonly after: number;
}): Script<readonly SearchObject[]> {
  for (let from = after; ;) {
    const rows = yield* all(findUnindexed, owner, from);
    const found = intact(rows);
    const last = rows.at(-1);
    if (found.length > 0 || last === undefined) return found;
    from = last.created_seq;
  }
}
