import { storeWord } from "../../read/search/search-chunks.ts";
import { storeFileId } from "../../records/search.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import type { Script } from "../../sql/script.ts";
import type { WriteContext } from "../state/write-context.ts";
import { lockObject, touchStore } from "./write-vector-stores.ts";

type IndexFile = Extract<StoreWrite, { type: "index-file" }>;

/**
 * Replaces the index of a file in one commit, so a search never sees a part of it. Does nothing if
 * the file was removed, cancelled or added again since its indexing began.
 */
export function* indexFile(
  context: WriteContext,
  { owner, storeId, fileId, revision, status, data, chunks }: IndexFile,
  at: number,
): Script<OutcomeOf<IndexFile>> {
  const { changes } = context;
  const store = yield* lockObject(owner, storeId);
  const id = storeFileId(storeId, fileId);
  const file = yield* lockObject(owner, id);
  if (store === undefined || file?.status !== "in_progress" || file.revision !== revision)
    return { status: "not_found" };
  changes.remove("search_chunks", { store_id: storeId, file_id: fileId });
  let bytes = 0;
  for (const [position, chunk] of chunks.entries()) {
    bytes += Buffer.byteLength(chunk.text) + (chunk.vector?.length ?? 0);
    changes.insert("search_chunks", {
      owner,
      store_id: storeId,
      file_id: fileId,
      position,
      place: JSON.stringify(chunk.place),
      text: chunk.text,
      words: `${storeWord(storeId)} ${chunk.words}`,
      vector: chunk.vector ?? null,
    });
  }
  changes.update(
    "search_objects",
    { id },
    // The attributes may have changed since the indexing began.
    { status, bytes, updated_at: at, data: JSON.stringify({ ...file.data, ...data }) },
  );
  touchStore(context, store, at);
  return { status: "indexed" };
}
