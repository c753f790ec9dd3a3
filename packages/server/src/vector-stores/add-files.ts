import type { Store } from "@capstan/store";
import { notFound, RequestError } from "../http/errors.ts";
import type { StoreFileData } from "../search/store-data.ts";
import { chunkingOf, type GivenChunking } from "./request/fields.ts";

/** The maximum number of files of a vector store. */
const maxFiles = 100_000;

/** A file to add, as a request gives it. */
export interface GivenFile {
  readonly file_id: string;
  readonly attributes?: StoreFileData["attributes"] | null | undefined;
  readonly chunking_strategy?: GivenChunking | null | undefined;
}

/** Returns the write that adds files to a vector store. */
export function addFilesWrite({
  owner,
  storeId,
  files,
  batchId,
}: {
  readonly owner: string;
  readonly storeId: string;
  readonly files: readonly GivenFile[];
  readonly batchId?: string;
}) {
  return {
    type: "add-store-files",
    owner,
    storeId,
    limit: maxFiles,
    files: newFiles(files),
    ...(batchId !== undefined && { batch: { id: batchId, data: {} } }),
  } as const;
}

/** Returns the files of a request in the form of a store write. */
export function newFiles(files: readonly GivenFile[]) {
  return files.map(({ file_id: fileId, attributes, chunking_strategy: chunking }) => ({
    fileId,
    data: {
      attributes: attributes ?? {},
      chunking: chunkingOf(chunking),
      error: null,
      embedding: null,
    } satisfies StoreFileData,
  }));
}

type Outcome = Awaited<ReturnType<Store["write"]>>[number];

/** @throws RequestError if files could not be added */
export function requireAdded(outcome: Outcome, storeId: string): void {
  if (outcome.status === "missing_file") throw notFound("file", outcome.fileId);
  if (outcome.status === "refused")
    throw new RequestError({ code: "vector_store_full", message: outcome.reason });
  if (outcome.status === "not_found") throw notFound("vector store", storeId);
}
