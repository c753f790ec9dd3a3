import type { FileCount, SearchObject } from "@capstan/store";
import { expiryOf, storeData, storeFileData } from "../search/store-data.ts";

/** Returns the number of files in each status, in the form of the API. */
export function countsView(counts: readonly FileCount[]) {
  const of = (status: FileCount["status"]) =>
    counts.reduce((sum, each) => sum + (each.status === status ? each.files : 0), 0);
  return {
    in_progress: of("in_progress"),
    completed: of("completed"),
    failed: of("failed"),
    cancelled: of("cancelled"),
    total: counts.reduce((sum, { files }) => sum + files, 0),
  };
}

/** Returns a vector store in the form of the API. */
export function storeView(store: SearchObject, counts: readonly FileCount[], now: number) {
  const data = storeData(store);
  const expiry = expiryOf(data);
  const files = countsView(counts);
  const progress = files.in_progress > 0 ? "in_progress" : "completed";
  return {
    id: store.id,
    object: "vector_store",
    created_at: seconds(store.createdAt),
    name: data.name,
    description: data.description,
    usage_bytes: counts.reduce((sum, { bytes }) => sum + bytes, 0),
    file_counts: files,
    status: expiry !== null && expiry <= now ? "expired" : progress,
    expires_after: data.days === null ? null : { anchor: "last_active_at", days: data.days },
    expires_at: expiry === null ? null : seconds(expiry),
    last_active_at: seconds(data.lastActiveAt),
    metadata: data.metadata,
  };
}

/** Returns a file of a vector store in the form of the API. */
export function storeFileView(file: SearchObject) {
  const { attributes, chunking, error } = storeFileData(file);
  return {
    id: file.fileId ?? "",
    object: "vector_store.file",
    usage_bytes: file.bytes,
    created_at: seconds(file.createdAt),
    vector_store_id: file.parentId,
    status: file.status,
    last_error: error,
    chunking_strategy: {
      type: "static",
      static: {
        max_chunk_size_tokens: chunking.maxTokens,
        chunk_overlap_tokens: chunking.overlapTokens,
      },
    },
    attributes,
  };
}

/** Returns a batch of files in the form of the API. */
export function batchView(batch: SearchObject, counts: readonly FileCount[]) {
  const files = countsView(counts);
  const progress = files.in_progress > 0 ? "in_progress" : "completed";
  return {
    id: batch.id,
    object: "vector_store.files_batch",
    created_at: seconds(batch.createdAt),
    vector_store_id: batch.parentId,
    status: batch.status === "cancelled" ? "cancelled" : progress,
    file_counts: files,
  };
}

function seconds(ms: number): number {
  return Math.floor(ms / 1_000);
}
