import type { JsonObject } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import type { SearchObject, Store, StoredChunk } from "@capstan/store";
import { type AttributeFilter, matchesFilter } from "./attribute-filter.ts";
import type { DocumentReader, RankedPart } from "./document-reader.ts";
import type { Embedder } from "./embed-texts.ts";
import { createPauses } from "./pauses.ts";
import { storeFileData } from "./store-data.ts";
import type { SmallVector } from "./vector-code.ts";
import type { VectorCache } from "./vector-cache.ts";

/** A search in vector stores of one user. */
export interface StoreQuery {
  readonly owner: string;
  readonly stores: readonly SearchObject[];
  readonly queries: readonly string[];
  readonly filter?: AttributeFilter | undefined;
  readonly limit: number;
  /** Only parts with at least this score, from 0 to 1. @default 0 */
  readonly minScore?: number | undefined;
  readonly signal: AbortSignal;
}

/** A part of a file that a search found. */
export interface StoreHit {
  readonly fileId: string;
  readonly filename: string;
  /** From 0 to 1. */
  readonly score: number;
  readonly attributes: JsonObject;
  readonly text: string;
  readonly place: JsonObject;
}

/** The parts that a search needs. */
export interface SearchParts {
  readonly store: Pick<Store, "searchChunks" | "readChunks" | "readFiles" | "getSearchObject">;
  readonly documents: DocumentReader;
  readonly embedder: Embedder | undefined;
  readonly cache: VectorCache;
  readonly log: (line: string) => void;
}

/** How many parts each of the two searches returns at least, before they are merged. */
const fewestCandidates = 50;

/** The maximum number of different words of a query. The others are ignored. */
const maxWords = 64;

interface Found {
  readonly store: SearchObject;
  readonly chunk: StoredChunk;
}

/** Searches vector stores by words, and by vectors if there is an embedding model. */
export async function searchStores(
  query: StoreQuery,
  parts: SearchParts,
): Promise<readonly StoreHit[]> {
  const { owner, queries, limit, minScore = 0, signal } = query;
  const vectors = await queryVectors(query, parts);
  const best = new Map<string, { readonly part: Found; readonly score: number }>();
  for (const [index, text] of queries.entries()) {
    const words = [...new Set(parts.documents.words(text, { isQuery: true }))].slice(0, maxWords);
    const ranked: RankedPart<Found>[] = [];
    for (const store of query.stores) {
      signal.throwIfAborted();
      ranked.push(...(await candidatesOf(store, { query, words, vector: vectors[index] }, parts)));
    }
    for (const hit of parts.documents.rank(ranked, words)) {
      const key = `${hit.part.chunk.n}`;
      if (hit.score >= minScore && hit.score > (best.get(key)?.score ?? 0)) best.set(key, hit);
    }
  }
  const sorted = [...best.values()].toSorted((a, b) => b.score - a.score);
  const hits: StoreHit[] = [];
  // Reads the files of the hits only. Reading those of all candidates would take a quarter of the
  // time of a search.
  for (let at = 0; at < sorted.length && hits.length < limit;) {
    signal.throwIfAborted();
    const page = sorted.slice(at, at + limit - hits.length);
    at += page.length;
    hits.push(...(await readHits(page, owner, parts)));
  }
  return hits;
}

/** Returns the parts whose files still exist, with their names and attributes. */
async function readHits(
  found: readonly { readonly part: Found; readonly score: number }[],
  owner: string,
  { store }: Pick<SearchParts, "store">,
): Promise<readonly StoreHit[]> {
  const fileIds = found.map(({ part }) => part.chunk.fileId);
  const [files, entries] = await Promise.all([
    store.readFiles({ owner, ids: [...new Set(fileIds)] }),
    Promise.all(
      found.map(({ part }) =>
        store.getSearchObject({ owner, id: `${part.store.id}/${part.chunk.fileId}` }),
      ),
    ),
  ]);
  return found.flatMap(({ part, score }, index) => {
    const { fileId, text, place } = part.chunk;
    const [file, entry] = [files.get(fileId), entries[index]];
    if (file === undefined || entry === undefined) return [];
    const { attributes } = storeFileData(entry);
    return [{ fileId, filename: file.name, score, attributes, text, place }];
  });
}

/** Returns the vectors of the queries; none without a model, or if it fails. */
async function queryVectors(
  { queries, signal }: StoreQuery,
  { embedder, log }: SearchParts,
): Promise<readonly SmallVector[]> {
  if (embedder === undefined) return [];
  try {
    return await embedder.embed(queries, signal);
  } catch (thrown) {
    signal.throwIfAborted();
    log(`A search used words only, because ${embedder.model} failed: ${errorMessage(thrown)}`);
    return [];
  }
}

async function candidatesOf(
  store: SearchObject,
  {
    query: { owner, filter, limit },
    words,
    vector,
  }: {
    readonly query: StoreQuery;
    readonly words: readonly string[];
    readonly vector: SmallVector | undefined;
  },
  parts: SearchParts,
): Promise<readonly RankedPart<Found>[]> {
  const needsFiles = filter !== undefined || vector !== undefined;
  const files = needsFiles ? (await parts.cache.files(store)).files : new Map<never, never>();
  const allowed = filter === undefined ? files : await filesWith(filter, files);
  if (filter !== undefined && allowed.size === 0) return [];
  const candidates = Math.max(2 * limit, fewestCandidates);
  const { embedder } = parts;
  const [byWords, nearest] = await Promise.all([
    parts.store.searchChunks({
      owner,
      storeId: store.id,
      words,
      limit: candidates,
      ...(filter !== undefined && { fileIds: [...allowed.keys()] }),
    }),
    vector === undefined || embedder === undefined
      ? []
      : parts.cache.nearest(store, vector, {
          files: allowed,
          model: embedder.model,
          limit: candidates,
        }),
  ]);
  const known = new Map(byWords.map((chunk, rank) => [chunk.n, { chunk, textRank: rank }]));
  const others = nearest.map(({ n }) => n).filter((n) => !known.has(n));
  const more = others.length === 0 ? [] : await parts.store.readChunks({ owner, ns: others });
  const chunks = new Map([...byWords, ...more].map((chunk) => [chunk.n, chunk]));
  const similar = new Map(
    nearest.map(({ n, similarity }, rank) => [n, { similarity, vectorRank: rank }]),
  );
  return [...chunks.values()].map((chunk) => {
    const textRank = known.get(chunk.n)?.textRank;
    return {
      part: { store, chunk },
      words: new Set(words.filter((word) => hasWord(chunk.words, word))),
      ...(textRank !== undefined && { textRank }),
      ...similar.get(chunk.n),
    };
  });
}

/** Returns the files whose attributes meet a condition. A long list is read with pauses. */
async function filesWith<File extends { readonly attributes: JsonObject }>(
  filter: AttributeFilter,
  files: ReadonlyMap<string, File>,
): Promise<ReadonlyMap<string, File>> {
  const allowed = new Map<string, File>();
  const pause = createPauses();
  for (const [id, file] of files) {
    if (matchesFilter(filter, file.attributes)) allowed.set(id, file);
    await pause();
  }
  return allowed;
}

/** Returns whether a text of words has a word. A set of all words would take ten times as long. */
function hasWord(text: string, word: string): boolean {
  return ` ${text} `.includes(` ${word} `);
}
