import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "@capstan/store";
import { plainDocuments } from "../testing/plain-documents.ts";
import { createConversationSearch } from "./search-conversations.ts";

/** A store with ended runs, of which some never get an index. */
function storeOf({ count, stuck }: { readonly count: number; readonly stuck: number }) {
  const ids = Array.from({ length: count }, (_, n) => `run${n}`);
  const left = new Set(ids);
  const writes: number[] = [];
  const store = {
    listUnindexedRuns: async ({ limit }: { limit: number }) => [...left].slice(0, limit),
    readInput: async () => [],
    readEventsCompact: async () => ({ lastSeq: 0, events: [] }),
    write: async ([write]: readonly [{ runs: readonly { id: string }[] }]) => {
      writes.push(write.runs.length);
      for (const { id } of write.runs) if (ids.indexOf(id) >= stuck) left.delete(id);
      return [{ status: "indexed" }];
    },
    listConversations: async () => ({ data: [], hasMore: false }),
    searchConversations: async () => [],
  };
  return { store: store as unknown as Store, left, writes };
}

for (const stuck of [0, 1, 20, 50])
  test(`all runs are indexed in commits of limited size, although ${stuck} runs cannot be indexed`, async () => {
    const { store, left, writes } = storeOf({ count: 300, stuck });
    const search = createConversationSearch({ store, documents: plainDocuments, log: () => {} });
    const { signal } = new AbortController();
    const query = { owner: "ann", text: "word", limit: 5, signal };
    await search.search(query);
    assert.equal((await search.search(query)).isComplete, true);
    assert.equal(left.size, stuck);
    assert.ok(Math.max(...writes) <= 20, writes.join(" "));
    await search.close();
  });
