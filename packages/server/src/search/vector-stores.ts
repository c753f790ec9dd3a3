import type { Clock } from "@capstan/core";
import type { SearchObject, Store } from "@capstan/store";
import type { DocumentReader } from "./document-reader.ts";
import type { Embedder } from "./embed-texts.ts";
import { createIndexer, type Indexer } from "./indexer.ts";
import { searchStores, type StoreHit, type StoreQuery } from "./search-stores.ts";
import { expiryOf, storeData } from "./store-data.ts";
import { VectorCache } from "./vector-cache.ts";

/** Indexes and searches vector stores. */
export interface VectorStores extends Indexer {
  readonly now: () => number;
  /** Returns a user's vector store, or why there is none. */
  find(owner: string, id: string): Promise<SearchObject | "expired" | undefined>;
  /** Searches vector stores that `find` returned. */
  search(query: StoreQuery): Promise<readonly StoreHit[]>;
}

/** The time after which a search updates when a store was last active, in ms. */
const activityMs = 60_000;

/** Creates the service of vector stores. Call `wake` once the server has started. */
export function createVectorStores(parts: {
  readonly store: Store;
  readonly documents: DocumentReader;
  readonly embedder?: Embedder | undefined;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}): VectorStores {
  const { store, clock } = parts;
  const cache = new VectorCache(store);
  const shared = { ...parts, embedder: parts.embedder, cache };
  const indexer = createIndexer(shared);

  return {
    ...indexer,
    now: () => clock.now(),
    async find(owner, id) {
      const found = await store.getSearchObject({ owner, id });
      if (found?.kind !== "store") return undefined;
      const expiry = expiryOf(storeData(found));
      return expiry !== null && expiry <= clock.now() ? "expired" : found;
    },
    async search(query) {
      const now = clock.now();
      const idle = query.stores.filter((each) => now - storeData(each).lastActiveAt > activityMs);
      const { owner } = query;
      if (idle.length > 0)
        await store.write(
          idle.map((each) => ({
            type: "save-vector-store" as const,
            owner,
            id: each.id,
            data: { lastActiveAt: now },
            isNew: false,
          })),
        );
      return searchStores(query, shared);
    },
  };
}
