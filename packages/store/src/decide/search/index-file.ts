import { storeWord } from "../../read/search/search-chunks.ts";
import { type SearchObject, storeFileId } from "../../records/search.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import { first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import type { WriteContext } from "../state/write-context.ts";
import { dropVersions } from "./drop-versions.ts";
import { lockObject, touchStore } from "./write-vector-stores.ts";

type ClaimIndex = Extract<StoreWrite, { type: "claim-index" }>;
type IndexParts = Extract<StoreWrite, { type: "index-parts" }>;
type IndexFile = Extract<StoreWrite, { type: "index-file" }>;

/** The node that claimed a version, if it is alive. */
const findClaim = statement<{ node: string }>(
  { reads: ["hidden_chunks", "nodes"] },
  `SELECT h.node FROM hidden_chunks h JOIN nodes ON nodes.id = h.node
    WHERE h.store_id = ? AND h.file_id = ? AND h.from_version = ?`,
);

/** Claims a file for this node, with a new version of its index. */
export function* claimIndex(
  context: WriteContext,
  write: ClaimIndex,
): Script<OutcomeOf<ClaimIndex>> {
  const found = yield* lockUnindexed(write);
  if (found === undefined) return { status: "not_found" };
  const { changes, node } = context;
  const { owner, storeId, fileId, revision } = write;
  const claim = yield* first(findClaim, storeId, fileId, revision);
  if (claim !== undefined && claim.node !== node)
    return { status: "refused", reason: `The node ${claim.node} is indexing the file.` };
  const version = revision + 1;
  changes.update("search_objects", { id: found.file.id }, { revision: version });
  changes.insert("hidden_chunks", {
    owner,
    store_id: storeId,
    file_id: fileId,
    from_version: version,
    to_version: version,
    node,
  });
  return { status: "claimed_index", revision: version };
}

/** Stores parts of the index of a claimed file, which stay hidden. */
export function* indexParts(
  context: WriteContext,
  write: IndexParts,
): Script<OutcomeOf<IndexParts>> {
  const found = yield* lockUnindexed(write);
  if (found === undefined) return { status: "not_found" };
  return { status: "indexed_parts", bytes: insertChunks(context, write) };
}

/**
 * Stores the last parts of a file's index and makes it visible. It replaces the file's previous
 * index. Does nothing if the file was removed, cancelled, claimed or added again since its indexing
 * began.
 */
export function* indexFile(
  context: WriteContext,
  write: IndexFile,
  at: number,
): Script<OutcomeOf<IndexFile>> {
  const found = yield* lockUnindexed(write);
  if (found === undefined) return { status: "not_found" };
  const { file, store } = found;
  const { owner, storeId, fileId, revision, status, data, bytes = 0 } = write;
  const upTo = status === "completed" ? revision - 1 : revision;
  yield* dropVersions(context, { owner, storeId, fileId, upTo });
  const added = insertChunks(context, write);
  context.changes.update(
    "search_objects",
    { id: file.id },
    // The attributes may have changed since the indexing began.
    {
      status,
      bytes: bytes + added,
      updated_at: at,
      data: JSON.stringify({ ...file.data, ...data }),
    },
  );
  touchStore(context, store, at);
  return { status: "indexed" };
}

/** Returns a file that is not indexed yet, and its store, which other nodes cannot change meanwhile. */
function* lockUnindexed({
  owner,
  storeId,
  fileId,
  revision,
}: Omit<ClaimIndex, "type">): Script<
  { readonly file: SearchObject; readonly store: SearchObject } | undefined
> {
  const store = yield* lockObject(owner, storeId);
  const file = yield* lockObject(owner, storeFileId(storeId, fileId));
  if (store === undefined || file?.status !== "in_progress" || file.revision !== revision)
    return undefined;
  return { file, store };
}

function insertChunks(
  { changes }: WriteContext,
  { owner, storeId, fileId, revision, chunks, position = 0 }: IndexParts | IndexFile,
): number {
  let bytes = 0;
  for (const [index, chunk] of chunks.entries()) {
    bytes += Buffer.byteLength(chunk.text) + (chunk.vector?.length ?? 0);
    changes.insert("search_chunks", {
      owner,
      store_id: storeId,
      file_id: fileId,
      position: position + index,
      place: JSON.stringify(chunk.place),
      text: chunk.text,
      words: `${storeWord(storeId)} ${chunk.words}`,
      vector: chunk.vector ?? null,
      version: revision,
    });
  }
  return bytes;
}
