import type { SearchObject, Store } from "@capstan/store";
import { type StoreFileData, storeFileData } from "./store-data.ts";
import { createPauses } from "./pauses.ts";
import { decodeVector, lengthOfVector, type SmallVector } from "./vector-code.ts";
import { nearestParts, type VectorList, vectorList, type VectorPart } from "./vector-list.ts";

/** The indexed files of a vector store as of a revision. */
export interface CachedStore {
  readonly revision: number;
  readonly files: ReadonlyMap<string, CachedFile>;
}

interface CachedFile extends Pick<StoreFileData, "attributes" | "embedding"> {
  readonly bytes: number;
  /** Changes with each index of the file. */
  readonly version: string;
}

interface FileVectors {
  readonly version: string;
  readonly parts: readonly VectorPart[];
}

/**
 * The maximum bytes of cached vectors, which is also the maximum of one store, and the maximum number
 * of cached stores.
 */
const maxVectorBytes = 256 * 1024 * 1024;
/** The approximate bytes of a part besides its vector. */
const partBytes = 200;
/** How many bytes of indexed files are read at once. */
const readBytes = 4 * 1024 * 1024;
const maxStores = 64;
const pageSize = 1_000;

/** Caches the files and vectors of vector stores, until their revision changes. */
export class VectorCache {
  readonly #store: Pick<Store, "listSearchObjects" | "readVectors">;
  readonly #stores = new Map<string, CachedStore>();
  readonly #vectors = new Map<string, Map<string, FileVectors>>();
  readonly #lists = new WeakMap<ReadonlyMap<string, CachedFile>, VectorList>();
  readonly #loading = new Map<string, Promise<void>>();
  #bytes = 0;

  constructor(store: Pick<Store, "listSearchObjects" | "readVectors">) {
    this.#store = store;
  }

  /** Returns the indexed files of a store. */
  async files({ owner, id, revision }: SearchObject): Promise<CachedStore> {
    const known = this.#stores.get(id);
    if (known?.revision === revision) return known;
    const files = new Map<string, CachedFile>();
    let after: { readonly createdSeq: number; readonly id: string } | undefined;
    for (;;) {
      const page = await this.#store.listSearchObjects({
        owner,
        of: { type: "store", id },
        status: "completed",
        order: "asc",
        limit: pageSize,
        ...(after && { after }),
      });
      for (const file of page) {
        const { attributes, embedding } = storeFileData(file);
        const version = `${file.revision} ${file.createdSeq} ${embedding}`;
        const { bytes } = file;
        if (file.fileId !== null) files.set(file.fileId, { attributes, embedding, version, bytes });
      }
      after = page.at(-1);
      if (page.length < pageSize) break;
    }
    const cached = { revision, files };
    this.#stores.delete(id);
    this.#stores.set(id, cached);
    for (const oldest of this.#stores.keys()) {
      if (this.#stores.size <= maxStores) break;
      this.#stores.delete(oldest);
    }
    return cached;
  }

  /**
   * Returns the parts of a store that are most similar to a vector.
   *
   * @param options.files only parts of these files
   * @param options.model the model of the vector; others cannot be compared
   */
  async nearest(
    { owner, id }: SearchObject,
    query: SmallVector,
    {
      files,
      model,
      limit,
    }: {
      readonly files: ReadonlyMap<string, CachedFile>;
      readonly model: string;
      readonly limit: number;
    },
  ): Promise<readonly { readonly n: number; readonly similarity: number }[]> {
    return nearestParts(await this.#listOf({ owner, id, files, model }), query, limit);
  }

  /**
   * Returns the vectors of files. The list for all files of a store is created once per revision.
   */
  async #listOf(of: {
    readonly owner: string;
    readonly id: string;
    readonly files: ReadonlyMap<string, CachedFile>;
    readonly model: string;
  }): Promise<VectorList> {
    const known = this.#lists.get(of.files);
    if (known !== undefined && this.#vectors.has(of.id)) return known;
    const cached = await this.#load(of);
    const list = await vectorList(
      [...of.files].flatMap(([fileId, { embedding }]) =>
        embedding === of.model ? (cached.get(fileId)?.parts ?? []) : [],
      ),
    );
    this.#lists.set(of.files, list);
    return list;
  }

  /** Concurrent searches in a store read its vectors once. */
  async #load(of: {
    readonly owner: string;
    readonly id: string;
    readonly files: ReadonlyMap<string, CachedFile>;
  }): Promise<ReadonlyMap<string, FileVectors>> {
    const before = this.#loading.get(of.id) ?? Promise.resolve();
    const load = before.then(() => this.#loadNow(of));
    const settled = load.then(
      () => {},
      () => {},
    );
    this.#loading.set(of.id, settled);
    try {
      return await load;
    } finally {
      if (this.#loading.get(of.id) === settled) this.#loading.delete(of.id);
    }
  }

  async #loadNow({
    owner,
    id,
    files,
  }: {
    readonly owner: string;
    readonly id: string;
    readonly files: ReadonlyMap<string, CachedFile>;
  }): Promise<ReadonlyMap<string, FileVectors>> {
    const known = this.#vectors.get(id) ?? new Map<string, FileVectors>();
    this.#vectors.delete(id);
    this.#vectors.set(id, known);
    // The vectors of files that were removed or indexed again.
    const current = this.#stores.get(id)?.files;
    if (current !== undefined)
      for (const [fileId, { parts }] of known)
        if (!current.has(fileId) && known.delete(fileId)) this.#bytes -= bytesOf(parts);
    const missing = [...files].filter(
      ([fileId, { version }]) => known.get(fileId)?.version !== version,
    );
    const pause = createPauses();
    let own = bytesOfAll(known);
    while (missing.length > 0 && own < maxVectorBytes) {
      const page = nextPage(missing);
      const rows = await this.#store.readVectors({
        owner,
        storeId: id,
        fileIds: page.map(([fileId]) => fileId),
      });
      const byFile = Map.groupBy(rows, ({ fileId }) => fileId);
      for (const [fileId, { version }] of page) {
        const parts: VectorPart[] = [];
        for (const { n, vector: text } of byFile.get(fileId) ?? []) {
          const vector = decodeVector(text);
          parts.push({ n, vector, length: lengthOfVector(vector) });
          await pause();
        }
        const more = bytesOf(parts) - bytesOf(known.get(fileId)?.parts);
        own += more;
        if (this.#vectors.get(id) === known) this.#bytes += more;
        known.set(fileId, { version, parts });
      }
    }
    for (const [oldest, vectors] of this.#vectors) {
      if (this.#bytes <= maxVectorBytes || oldest === id) break;
      this.#bytes -= bytesOfAll(vectors);
      this.#vectors.delete(oldest);
    }
    return known;
  }
}

/** Takes the next files from a list, as many as can be read at once. */
function nextPage(missing: [string, CachedFile][]): readonly (readonly [string, CachedFile])[] {
  let bytes = 0;
  const end = missing.findIndex(([, file], index) => {
    bytes += file.bytes;
    return index > 0 && (bytes > readBytes || index === pageSize);
  });
  return missing.splice(0, end === -1 ? missing.length : end);
}

function bytesOf(parts: FileVectors["parts"] = []): number {
  return parts.reduce((sum, { vector }) => sum + vector.length + partBytes, 0);
}

function bytesOfAll(vectors: ReadonlyMap<string, FileVectors>): number {
  let sum = 0;
  for (const { parts } of vectors.values()) sum += bytesOf(parts);
  return sum;
}
