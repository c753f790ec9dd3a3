import { wholeStore } from "../../records/search.ts";
import { all, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import type { WriteContext } from "../state/write-context.ts";

/** Versions of the index of a file. */
export interface Versions {
  readonly owner: string;
  readonly storeId: string;
  readonly fileId: string;
  /** The last of the versions; the first one is 0. */
  readonly upTo: number;
}

/** The maximum number of parts that a commit deletes with its other changes. */
const mostDeleted = 50;

const findVersions = statement(
  { reads: ["search_chunks"] },
  `SELECT n FROM search_chunks WHERE store_id = ? AND file_id = ? AND version <= ? LIMIT ${mostDeleted + 1}`,
);

const deleteVersions = statement(
  { writes: ["search_chunks"] },
  "DELETE FROM search_chunks WHERE store_id = ? AND file_id = ? AND version <= ?",
);

/**
 * Deletes versions of the index of a file. If they have many parts, hides them instead, and
 * `collectChunks` deletes them.
 */
export function* dropVersions(context: WriteContext, versions: Versions): Script<void> {
  const { storeId, fileId, upTo } = versions;
  const found = yield* all(findVersions, storeId, fileId, upTo);
  if (found.length > mostDeleted) return hideVersions(context, versions);
  const { changes } = context;
  changes.remove("hidden_chunks", { store_id: storeId, file_id: fileId });
  if (found.length > 0) changes.run(deleteVersions, storeId, fileId, upTo);
}

/** Hides versions of the index of a file; `collectChunks` deletes them. */
export function hideVersions(
  { changes }: WriteContext,
  { owner, storeId, fileId, upTo }: Versions,
): void {
  // The new range contains all ranges of the file, or these have no parts.
  changes.remove("hidden_chunks", { store_id: storeId, file_id: fileId });
  changes.insert("hidden_chunks", {
    owner,
    store_id: storeId,
    file_id: fileId,
    from_version: 0,
    to_version: upTo,
    node: null,
  });
}

/** Hides a deleted store with its files, batches and index; `collectChunks` deletes them. */
export function hideStore(
  { changes }: WriteContext,
  { owner, storeId }: Pick<Versions, "owner" | "storeId">,
): void {
  changes.remove("hidden_chunks", { store_id: storeId });
  changes.insert("hidden_chunks", {
    owner,
    store_id: storeId,
    file_id: wholeStore,
    from_version: 0,
    to_version: Number.MAX_SAFE_INTEGER,
    node: null,
  });
}
