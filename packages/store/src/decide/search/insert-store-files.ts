import type { JsonObject } from "@capstan/core";
import { storeFileId } from "../../records/search.ts";
import { all, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import type { WriteContext } from "../state/write-context.ts";

/** A file to index, with its data. */
interface AddedFile {
  readonly fileId: string;
  readonly data: JsonObject;
}

/** The lock keeps another node from deleting the files before this commit. */
const lockFiles = statement<{ id: string }>(
  { reads: ["files"] },
  ({ anyOf, lock }) => `SELECT id FROM files WHERE id ${anyOf} AND owner = ?${lock("files")}`,
);

/** Returns the first of the files that the user does not have, and locks the others. */
export function* missingFile(
  owner: string,
  files: readonly AddedFile[],
): Script<string | undefined> {
  if (files.length === 0) return undefined;
  const ids = [...new Set(files.map(({ fileId }) => fileId))];
  const found = new Set((yield* all(lockFiles, ids, owner)).map(({ id }) => id));
  return ids.find((id) => !found.has(id));
}

const findHidden = statement<{ file_id: string; version: number }>(
  { reads: ["hidden_chunks"] },
  ({ anyOf }) => `SELECT file_id, MAX(to_version) AS version FROM hidden_chunks
    WHERE store_id = ? AND file_id ${anyOf} GROUP BY file_id`,
);

/** Returns the newest hidden version of each of the files that has one. */
export function* hiddenVersions(
  storeId: string,
  files: readonly AddedFile[],
): Script<ReadonlyMap<string, number>> {
  const ids = [...new Set(files.map(({ fileId }) => fileId))];
  const rows = yield* all(findHidden, storeId, ids);
  return new Map(rows.map(({ file_id, version }) => [file_id, version]));
}

/**
 * Adds files to a vector store, to be indexed.
 *
 * @param options.known the revisions of the files that it has already, by their id in the store.
 * @default none
 * @param options.hidden the newest hidden version of each file, by the file's id: a file that is
 * added again must not reuse a version. @default none
 */
export function insertStoreFiles(
  { changes }: WriteContext,
  {
    owner,
    storeId,
    files,
    batchId = null,
    known = new Map(),
    hidden = new Map(),
    at,
  }: {
    readonly owner: string;
    readonly storeId: string;
    readonly files: readonly AddedFile[];
    readonly batchId?: string | null;
    readonly known?: ReadonlyMap<string, number>;
    readonly hidden?: ReadonlyMap<string, number>;
    readonly at: number;
  },
): void {
  const unique = new Map(files.map((file) => [file.fileId, file]));
  for (const { fileId, data } of unique.values()) {
    const id = storeFileId(storeId, fileId);
    const revision = known.get(id);
    // The parts that are indexed stay until the new ones replace them.
    if (revision !== undefined) changes.remove("search_objects", { id });
    changes.insert("search_objects", {
      id,
      owner,
      kind: "file",
      parent_id: storeId,
      batch_id: batchId,
      file_id: fileId,
      status: "in_progress",
      bytes: 0,
      revision: Math.max(revision ?? 0, hidden.get(fileId) ?? 0) + 1,
      created_at: at,
      updated_at: at,
      data: JSON.stringify(data),
    });
  }
}
