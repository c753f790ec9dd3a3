import { storeFileId } from "../../records/search.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import { all, first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import type { WriteContext } from "../state/write-context.ts";
import { dropVersions } from "./drop-versions.ts";
import { hiddenVersions, insertStoreFiles, missingFile } from "./insert-store-files.ts";
import { lockObject, touchStore } from "./write-vector-stores.ts";

type AddFiles = Extract<StoreWrite, { type: "add-store-files" }>;
type ChangeFile = Extract<StoreWrite, { type: "change-store-file" }>;
type RemoveFile = Extract<StoreWrite, { type: "remove-store-file" }>;
type CancelBatch = Extract<StoreWrite, { type: "cancel-batch" }>;

const findKnown = statement<{ id: string; revision: number }>(
  { reads: ["search_objects"] },
  ({ anyOf }) => `SELECT id, revision FROM search_objects WHERE id ${anyOf}`,
);

const countFiles = statement<{ files: number }>(
  { reads: ["search_objects"] },
  "SELECT COUNT(*) AS files FROM search_objects WHERE parent_id = ? AND kind = 'file'",
);

const findPending = statement<{ id: string; revision: number }>(
  { reads: ["search_objects"] },
  ({ lock }) =>
    `SELECT id, revision FROM search_objects WHERE batch_id = ? AND status = 'in_progress'${lock("search_objects")}`,
);

/** Adds files to a vector store, to be indexed. A file that it has already is indexed again. */
export function* addStoreFiles(
  context: WriteContext,
  { owner, storeId, files, batch, limit }: AddFiles,
  at: number,
): Script<OutcomeOf<AddFiles>> {
  const { changes } = context;
  const store = yield* lockObject(owner, storeId);
  if (store?.kind !== "store") return { status: "not_found" };
  const missing = yield* missingFile(owner, files);
  if (missing !== undefined) return { status: "missing_file", fileId: missing };
  const ids = [...new Set(files.map(({ fileId }) => storeFileId(storeId, fileId)))];
  const known = new Map((yield* all(findKnown, ids)).map(({ id, revision }) => [id, revision]));
  const count = yield* first(countFiles, storeId);
  if (limit !== undefined && (count?.files ?? 0) + ids.length - known.size > limit)
    return { status: "refused", reason: `A vector store can have at most ${limit} files.` };
  if (batch !== undefined)
    changes.insert("search_objects", {
      id: batch.id,
      owner,
      kind: "batch",
      parent_id: storeId,
      batch_id: null,
      file_id: null,
      status: "in_progress",
      bytes: 0,
      revision: 0,
      created_at: at,
      updated_at: at,
      data: JSON.stringify(batch.data),
    });
  const hidden = yield* hiddenVersions(storeId, files);
  const batchId = batch?.id ?? null;
  insertStoreFiles(context, { owner, storeId, files, batchId, known, hidden, at });
  touchStore(context, store, at);
  return { status: "added_files" };
}

/** Changes members of the data of a file of a vector store, for example its attributes. */
export function* changeStoreFile(
  context: WriteContext,
  { owner, storeId, fileId, data }: ChangeFile,
  at: number,
): Script<OutcomeOf<ChangeFile>> {
  const store = yield* lockObject(owner, storeId);
  const id = storeFileId(storeId, fileId);
  const file = yield* lockObject(owner, id);
  if (store === undefined || file === undefined) return { status: "not_found" };
  const merged = JSON.stringify({ ...file.data, ...data });
  context.changes.update("search_objects", { id }, { updated_at: at, data: merged });
  touchStore(context, store, at);
  return { status: "changed_file" };
}

/** Removes a file from a vector store. The file itself remains. */
export function* removeStoreFile(
  context: WriteContext,
  { owner, storeId, fileId }: RemoveFile,
  at: number,
): Script<OutcomeOf<RemoveFile>> {
  const store = yield* lockObject(owner, storeId);
  const id = storeFileId(storeId, fileId);
  const file = yield* lockObject(owner, id);
  if (store === undefined || file === undefined) return { status: "not_found" };
  context.changes.remove("search_objects", { id });
  yield* dropVersions(context, { owner, storeId, fileId, upTo: file.revision });
  touchStore(context, store, at);
  return { status: "removed" };
}

/** Cancels the files of a batch that are not indexed yet. Indexed files remain. */
export function* cancelBatch(
  context: WriteContext,
  { owner, id }: CancelBatch,
  at: number,
): Script<OutcomeOf<CancelBatch>> {
  const { changes } = context;
  const batch = yield* lockObject(owner, id);
  if (batch?.kind !== "batch") return { status: "not_found" };
  for (const file of yield* all(findPending, id))
    changes.update(
      "search_objects",
      { id: file.id },
      { status: "cancelled", revision: file.revision + 1, updated_at: at },
    );
  changes.update("search_objects", { id }, { status: "cancelled", updated_at: at });
  return { status: "cancelled_batch" };
}
