import { setImmediate as nextTurn } from "node:timers/promises";
import { errorMessage } from "@capstan/core/host";
import type { FileRecord, SearchChunk, SearchObject, Store } from "@capstan/store";
import type { CommitSize } from "./commit-size.ts";
import type { DocumentReader, PartPlace } from "./document-reader.ts";
import type { Embedder } from "./embed-texts.ts";
import type { ByteBudget } from "./byte-budget.ts";
import { createPauses } from "./pauses.ts";
import { type StoreFileData, storeFileData } from "./store-data.ts";
import { encodeVector } from "./vector-code.ts";

/** The dependencies of indexing. */
export interface IndexingParts {
  readonly store: Pick<Store, "getFile" | "readBlob" | "write">;
  readonly documents: DocumentReader;
  readonly embedder: Embedder | undefined;
  readonly log: (line: string) => void;
}

/** The state that all simultaneously indexed files share. */
export interface SharedByFiles {
  /** The bytes of files in memory. */
  readonly budget: ByteBudget;
  /** The number of parts of one commit. */
  readonly commitSize: CommitSize;
  /** Runs long writes one after another, so that a commit contains at most one of them. */
  readonly inOrder: <T>(write: () => Promise<T>) => Promise<T>;
}

/** The maximum number of parts into which a file is divided. */
const maxParts = 20_000;

/** The largest file whose bytes are read. */
export const maxBytes = 64 * 1024 * 1024;

/** The maximum length of the texts of one commit, unless it has only one part. */
const commitLength = 128 * 1024;

/** Writes with at least this number of parts are long. */
const longWrite = 8;

type Failure = NonNullable<StoreFileData["error"]>;

interface TextPart {
  readonly text: string;
  readonly place: PartPlace;
}

/**
 * Indexes a file of a vector store, or stores why it cannot be indexed. Searches use the index
 * after its last commit. Does nothing if another node indexes the file.
 *
 * @throws the signal's reason, or an error of the store; the file is then indexed later
 */
export async function indexStoreFile(
  entry: SearchObject,
  parts: IndexingParts & SharedByFiles,
  signal: AbortSignal,
): Promise<void> {
  const { owner, parentId, fileId } = entry;
  if (parentId === null || fileId === null) return;
  const { store } = parts;
  const file = { owner, storeId: parentId, fileId };
  const [claimed] = await store.write([{ type: "claim-index", ...file, revision: entry.revision }]);
  if (claimed.status !== "claimed_index") return;
  const { revision } = claimed;
  const record = await store.getFile({ owner, id: fileId });
  const free = await parts.budget.take(owner, Math.min(record?.bytes ?? 0, maxBytes), signal);
  try {
    const found = await partsOf(record, storeFileData(entry), parts, signal);
    if ("code" in found) {
      const data = { error: found, embedding: null };
      const failed = { type: "index-file", status: "failed", data, chunks: [] } as const;
      await store.write([{ ...failed, ...file, revision }]);
      return;
    }
    await writeParts({ ...file, revision, name: record?.name ?? "", parts: found }, parts, signal);
  } finally {
    free();
  }
}

/** Returns the parts of a file without their words and vectors, which take more memory. */
async function partsOf(
  record: FileRecord | undefined,
  { chunking }: StoreFileData,
  { store, documents }: IndexingParts,
  signal: AbortSignal,
): Promise<readonly TextPart[] | Failure> {
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
  const parts: TextPart[] = [];
  const pause = createPauses();
  for (const part of documents.split(text.text, chunking)) {
    if (parts.length === maxParts)
      return invalid(`The file has more than ${maxParts} parts. Divide it into several files.`);
    if (part !== undefined) parts.push(part);
    await pause();
    signal.throwIfAborted();
  }
  return parts;
}

/** Writes the index of a file in commits of limited size; the last one makes it visible. */
async function writeParts(
  file: {
    readonly owner: string;
    readonly storeId: string;
    readonly fileId: string;
    readonly revision: number;
    readonly name: string;
    readonly parts: readonly TextPart[];
  },
  shared: IndexingParts & SharedByFiles,
  signal: AbortSignal,
): Promise<void> {
  const { name, parts, ...ofFile } = file;
  const { store, documents, inOrder, commitSize } = shared;
  const embed = embedding(shared, signal);
  const pause = createPauses();
  let bytes = 0;
  for (let position = 0; ;) {
    const some = nextParts(parts, position, commitSize.rows);
    const words: string[] = [];
    for (const { text, place } of some) {
      words.push(documents.words(`${name} ${place.heading ?? ""} ${text}`).join(" "));
      await pause();
    }
    const vectors = await embed.next(some.map(({ text }) => text));
    const chunks = some.map(({ text, place }, index): SearchChunk => {
      const vector = vectors[index];
      const chunk = { text, words: words[index] ?? "", place: { ...place } };
      return vector === undefined ? chunk : { ...chunk, vector };
    });
    signal.throwIfAborted();
    const common = { ...ofFile, chunks, position };
    const isLast = position + some.length >= parts.length;
    const write = async (): Promise<boolean> => {
      if (isLast) {
        const data = { error: null, embedding: embed.model() };
        const last = { type: "index-file", status: "completed", data, bytes } as const;
        await store.write([{ ...last, ...common }]);
        return true;
      }
      const [stored] = await store.write([{ type: "index-parts", ...common }]);
      // The file was removed, cancelled or added again, or another node has taken it over.
      if (stored.status !== "indexed_parts") return true;
      bytes += stored.bytes;
      return false;
    };
    if (
      await (some.length < longWrite && isLast ? write() : inOrder(() => commitSize.measure(write)))
    )
      return;
    position += some.length;
    await nextTurn();
  }
}

/** Returns the parts of the next commit. */
function nextParts(parts: readonly TextPart[], from: number, most: number): readonly TextPart[] {
  let length = 0;
  let to = from;
  for (; to < parts.length && to < from + most; to++) {
    length += parts[to]?.text.length ?? 0;
    if (length > commitLength && to > from) break;
  }
  return parts.slice(from, to);
}

/** If the embedding model fails, searches find the file only by its words. */
function embedding(
  { embedder, log }: IndexingParts,
  signal: AbortSignal,
): {
  readonly next: (texts: readonly string[]) => Promise<readonly string[]>;
  /** The model of the vectors so far, or null if it failed. */
  readonly model: () => string | null;
} {
  let model = embedder?.model ?? null;
  return {
    model: () => model,
    async next(texts) {
      if (embedder === undefined || model === null) return [];
      try {
        return (await embedder.embed(texts, signal)).map((vector) => encodeVector(vector));
      } catch (thrown) {
        signal.throwIfAborted();
        log(
          `A file of a vector store has no vectors, because ${embedder.model} failed: ${errorMessage(thrown)}`,
        );
        model = null;
        return [];
      }
    },
  };
}

function invalid(message: string): Failure {
  return { code: "invalid_file", message };
}
