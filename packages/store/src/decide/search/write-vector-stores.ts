import {
  isOfStore,
  searchObject,
  type SearchObjectRow,
  selectObjects,
} from "../../read/search/read-objects.ts";
import type { SearchObject } from "../../records/search.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import { first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import type { WriteContext } from "../state/write-context.ts";
import { hideStore } from "./drop-versions.ts";
import { insertStoreFiles, missingFile } from "./insert-store-files.ts";

type SaveStore = Extract<StoreWrite, { type: "save-vector-store" }>;
type DeleteStore = Extract<StoreWrite, { type: "delete-vector-store" }>;

const lock = statement<SearchObjectRow>(
  { reads: ["search_objects", "hidden_chunks"] },
  (dialect) =>
    `${selectObjects(dialect)} WHERE id = ? AND owner = ? AND ${isOfStore}${dialect.lock("search_objects")}`,
);

const countStores = statement<{ stores: number }>(
  { reads: ["search_objects"] },
  "SELECT COUNT(*) AS stores FROM search_objects WHERE owner = ? AND kind = 'store'",
);

/** Returns an object that other nodes cannot change before the commit. */
export function* lockObject(owner: string, id: string): Script<SearchObject | undefined> {
  const row = yield* first(lock, id, owner);
  return row && searchObject(row);
}

/** Counts up the revision of a store, because its files change. */
export function touchStore(
  { changes }: WriteContext,
  { id, revision }: SearchObject,
  at: number,
): void {
  changes.update("search_objects", { id }, { revision: revision + 1, updated_at: at });
}

/** Creates a vector store with its files, or changes the given members of its data. */
export function* saveVectorStore(
  context: WriteContext,
  { owner, id, data, isNew, files = [], limit }: SaveStore,
  at: number,
): Script<OutcomeOf<SaveStore>> {
  const { changes } = context;
  const before = yield* lockObject(owner, id);
  if (isNew) {
    if (before !== undefined) return { status: "refused", reason: "The id is in use." };
    const count = limit === undefined ? undefined : yield* first(countStores, owner);
    if (limit !== undefined && (count?.stores ?? 0) >= limit)
      return {
        status: "refused",
        reason: `You have ${limit} vector stores, which is the limit. Delete vector stores first.`,
      };
    const fileId = yield* missingFile(owner, files);
    if (fileId !== undefined) return { status: "missing_file", fileId };
    changes.insert("search_objects", {
      id,
      owner,
      kind: "store",
      parent_id: null,
      batch_id: null,
      file_id: null,
      status: "completed",
      bytes: 0,
      revision: 0,
      created_at: at,
      updated_at: at,
      data: JSON.stringify(data),
    });
    insertStoreFiles(context, { owner, storeId: id, files, at });
    return { status: "saved_store" };
  }
  if (before?.kind !== "store") return { status: "not_found" };
  const merged = JSON.stringify({ ...before.data, ...data });
  changes.update("search_objects", { id }, { updated_at: at, data: merged });
  return { status: "saved_store" };
}

/**
 * Deletes a vector store, and hides its files, batches and index at once; `collectChunks` deletes
 * them later. The files themselves remain.
 */
export function* deleteVectorStore(
  context: WriteContext,
  { owner, id }: DeleteStore,
): Script<OutcomeOf<DeleteStore>> {
  const before = yield* first(lock, id, owner);
  // The kind of a corrupt row cannot be trusted; it can be deleted.
  if (before === undefined || (before.is_intact === 1 && before.kind !== "store"))
    return { status: "not_found" };
  context.changes.remove("search_objects", { id });
  hideStore(context, { owner, storeId: id });
  return { status: "removed" };
}
