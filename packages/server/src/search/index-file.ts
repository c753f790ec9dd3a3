import { setImmediate as nextTurn } from "node:timers/promises";
import { errorMessage } from "@capstan/core/host";
import type { SearchChunk, SearchObject, Store } from "@capstan/store";
import type { DocumentReader } from "./document-reader.ts";
import type { Embedder } from "./embed-texts.ts";
import { type StoreFileData, storeFileData } from "./store-data.ts";
import { encodeVector } from "./vector-code.ts";

/** The parts that indexing needs. */
export interface IndexingParts {
  readonly store: Pick<Store, "getFile" | "readBlob" | "write">;
  readonly documents: DocumentReader;
  readonly embedder: Embedder | undefined;
  readonly log: (line: string) => void;
}

/** The maximum number of parts of one file. */
const maxParts = 20_000;

/** How long this thread indexes before other work gets a turn, in ms. */
const turnMs = 8;

/** The largest file whose bytes are read. */
const maxBytes = 64 * 1024 * 1024;

type Failure = NonNullable<StoreFileData["error"]>;

/**
 * Indexes a file of a vector store, or stores why it cannot be indexed. One commit stores the whole
 * index.
 *
 * @throws the signal's reason, or an error of the store; the file is then indexed later
 */
export async function indexStoreFile(
  entry: SearchObject,
  parts: IndexingParts,
  signal: AbortSignal,
): Promise<void> {
  const { owner, parentId, fileId, revision } = entry;
  if (parentId === null || fileId === null) return;
  const data = storeFileData(entry);
  const found = await partsOf({ owner, fileId }, data, parts, signal);
  const common = { type: "index-file", owner, storeId: parentId, fileId, revision } as const;
  if ("code" in found) {
    const failed = { error: found, embedding: null };
    await parts.store.write([{ ...common, status: "failed", data: failed, chunks: [] }]);
    return;
  }
  const { chunks, embedding } = await withVectors(found, parts, signal);
  const indexed = { error: null, embedding };
  await parts.store.write([{ ...common, status: "completed", data: indexed, chunks }]);
}

async function partsOf(
  file: { readonly owner: string; readonly fileId: string },
  { chunking }: StoreFileData,
  { store, documents }: IndexingParts,
  signal: AbortSignal,
): Promise<readonly SearchChunk[] | Failure> {
  const record = await store.getFile({ owner: file.owner, id: file.fileId });
  if (record === undefined) return invalid("The file was deleted.");
  if (record.bytes > maxBytes)
    return invalid(`The file has ${record.bytes} bytes; at most ${maxBytes} are indexed.`);
  const bytes = await store.readBlob(record.sha256);
  if (bytes === undefined) return invalid("The bytes of the file are no longer stored.");
  const text = await documents.read({ ...record, bytes, user: record.owner, signal });
  if (text.status === "failed") {
    const code = {
      unsupported: "unsupported_file",
      invalid: "invalid_file",
      transient: "server_error",
    };
    return { code: code[text.cause], message: `The file cannot be indexed: ${text.reason}.` };
  }
  const chunks: SearchChunk[] = [];
  let began = performance.now();
  for (const part of documents.split(text.text, chunking)) {
    if (chunks.length === maxParts)
      return invalid(`The file has more than ${maxParts} parts. Divide it into several files.`);
    if (part !== undefined) {
      const words = documents.words(`${record.name} ${part.place.heading ?? ""} ${part.text}`);
      chunks.push({ text: part.text, words: words.join(" "), place: { ...part.place } });
    }
    if (performance.now() - began < turnMs) continue;
    await nextTurn();
    signal.throwIfAborted();
    began = performance.now();
  }
  return chunks;
}

/** If the embedding model fails, the file is found by its words only. */
async function withVectors(
  chunks: readonly SearchChunk[],
  { embedder, log }: IndexingParts,
  signal: AbortSignal,
): Promise<{ readonly chunks: readonly SearchChunk[]; readonly embedding: string | null }> {
  if (embedder === undefined) return { chunks, embedding: null };
  try {
    const vectors = await embedder.embed(
      chunks.map(({ text }) => text),
      signal,
    );
    const all = chunks.map((chunk, index) => {
      const vector = vectors[index];
      return vector === undefined ? chunk : { ...chunk, vector: encodeVector(vector) };
    });
    return { chunks: all, embedding: embedder.model };
  } catch (thrown) {
    signal.throwIfAborted();
    log(
      `A file of a vector store has no vectors, because ${embedder.model} failed: ${errorMessage(thrown)}`,
    );
    return { chunks, embedding: null };
  }
}

function invalid(message: string): Failure {
  return { code: "invalid_file", message };
}
