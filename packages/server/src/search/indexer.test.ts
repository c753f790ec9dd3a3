import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { test } from "node:test";
import { systemClock } from "@capstan/core/host";
import type { Store, StoreWrite } from "@capstan/store";
import { withMemoryStore } from "@capstan/store/testing";
import { plainDocuments } from "../testing/plain-documents.ts";
import type { DocumentReader } from "./document-reader.ts";
import { createVectorStores } from "./vector-stores.ts";

const chunking = { maxTokens: 100, overlapTokens: 0 };
const dataOfFile = { attributes: {}, chunking, error: null, embedding: null };
const dataOfStore = { name: null, description: null, metadata: {}, days: null, lastActiveAt: 0 };

/** Adds a file to the vector store of a user. */
async function addFile(
  store: Store,
  { owner, id, text }: { readonly owner: string; readonly id: string; readonly text: string },
): Promise<void> {
  async function* pieces() {
    yield new TextEncoder().encode(text);
  }
  const blob = await store.receiveBlob(pieces());
  const { sha256, size } = blob;
  const more = { mimeType: "text/plain", purpose: "assistants", source: "upload" } as const;
  await store.writeWithBlob(blob, {
    type: "create-file",
    file: { id, owner, name: `${id}.txt`, ...more },
    blob: { sha256, size },
  });
  await blob.discard();
  const storeId = `vs_${owner}`;
  if ((await store.getSearchObject({ owner, id: storeId })) === undefined)
    await store.write([
      { type: "save-vector-store", owner, id: storeId, data: dataOfStore, isNew: true },
    ]);
  const files = [{ fileId: id, data: dataOfFile }];
  await store.write([{ type: "add-store-files", owner, storeId, files }]);
}

function indexerOf(store: Store, documents: Partial<DocumentReader> = {}) {
  const log: string[] = [];
  const stores = createVectorStores({
    store,
    documents: { ...plainDocuments, ...documents },
    clock: systemClock,
    log: (line) => log.push(line),
  });
  return { ...stores, log };
}

/** Divides a text at its semicolons. */
const split: DocumentReader["split"] = (text) =>
  text.split(";").map((part) => ({ text: part, place: { startLine: 1, endLine: 1 } }));

const manyParts = Array.from({ length: 1_000 }, (_, n) => `word${n} common`).join(";");

test("a long index is written in many commits of limited size, and found as a whole", async () => {
  await withMemoryStore(async (store) => {
    const owner = "ann";
    await addFile(store, { owner, id: "file-1", text: manyParts });
    const sizes: number[] = [];
    const found = new Set<number>();
    const search = async () =>
      (await store.searchChunks({ owner, storeId: "vs_ann", words: ["wcommon"], limit: 2_000 }))
        .length;
    const watched = {
      ...store,
      write: async (writes: readonly StoreWrite[]) => {
        for (const write of writes) if ("chunks" in write) sizes.push(write.chunks.length);
        found.add(await search());
        return store.write(writes);
      },
    } as Store;
    const indexer = indexerOf(watched, { split });
    indexer.wake();
    await indexer.idle();
    assert.equal(await search(), 1_000);
    assert.deepEqual(
      [...found].toSorted((a, b) => a - b),
      [0, 1_000],
      "no search finds a part of the index",
    );
    assert.ok(sizes.length > 10 && Math.max(...sizes) <= 100, sizes.join(" "));
    const parts = await store.readStoreFile({ owner, storeId: "vs_ann", fileId: "file-1" });
    assert.deepEqual(
      parts.map(({ position }) => position),
      Array.from({ length: 1_000 }, (_, n) => n),
    );
    // A deletion also takes many commits.
    await store.write([{ type: "delete-file", owner, id: "file-1" }]);
    assert.equal(await search(), 0);
    indexer.wake();
    await indexer.idle();
    assert.equal((await store.everyUsage())[0]?.byKind.files, JSON.stringify(dataOfStore).length);
    await indexer.close();
  });
});

test("an index of a process that stopped halfway is written again", async () => {
  await withMemoryStore(async (store) => {
    const owner = "ann";
    await addFile(store, { owner, id: "file-1", text: manyParts });
    let writes = 0;
    const dying = {
      ...store,
      write: async (given: readonly StoreWrite[]) => {
        writes += 1;
        if (writes > 5) throw new Error("The process was killed.");
        return store.write(given);
      },
    } as Store;
    const first = indexerOf(dying, { split });
    first.wake();
    await first.idle();
    assert.equal(first.log.length > 0, true);
    const read = () => store.readStoreFile({ owner, storeId: "vs_ann", fileId: "file-1" });
    assert.deepEqual(await read(), []);
    const second = indexerOf(store, { split });
    second.wake();
    await second.idle();
    assert.equal((await read()).length, 1_000);
    const [usage] = await store.everyUsage();
    const { bytes } = (await store.getSearchObject({ owner, id: "vs_ann/file-1" })) ?? {};
    assert.ok(
      bytes !== undefined && (usage?.byKind.files ?? 0) < 5 * bytes,
      "nothing is stored twice",
    );
    await first.close();
    await second.close();
  });
});

test("users are served in round-robin order, and one of them never has all slots", async () => {
  await withMemoryStore(async (store) => {
    for (let n = 0; n < 8; n++) await addFile(store, { owner: "ann", id: `file-a${n}`, text: "x" });
    const order: string[] = [];
    const ends: (() => void)[] = [];
    const indexer = indexerOf(store, {
      read: async ({ name }) => {
        order.push(name);
        await new Promise<void>((resolve) => ends.push(resolve));
        return { status: "read", text: "x" };
      },
    });
    const reach = async (count: number) => {
      while (order.length < count) await nextTurn();
    };
    indexer.wake();
    await reach(3);
    await addFile(store, { owner: "bob", id: "file-b0", text: "x" });
    await addFile(store, { owner: "bob", id: "file-b1", text: "x" });
    indexer.wake();
    await reach(4);
    assert.deepEqual(order.slice(3), ["file-b0.txt"], "another user gets the free slot");
    for (const count of [5, 6]) {
      ends.shift()?.();
      await reach(count);
    }
    assert.deepEqual(order.slice(4, 6), ["file-a3.txt", "file-b1.txt"]);
    while (order.length < 10 || ends.length > 0) {
      ends.shift()?.();
      await nextTurn();
    }
    await indexer.idle();
    assert.deepEqual(await store.everyUnindexedOwner({ after: "" }), []);
    await indexer.close();
  });
});

test("the files that are in memory at the same time have a limit", async () => {
  await withMemoryStore(async (store) => {
    const text = "x".repeat(30 * 2 ** 20);
    for (const id of ["file-1", "file-2", "file-3"])
      await addFile(store, { owner: "ann", id, text });
    let [reading, most] = [0, 0];
    const indexer = indexerOf(store, {
      read: async () => {
        reading += 1;
        most = Math.max(most, reading);
        for (let turn = 0; turn < 20; turn++) await nextTurn();
        reading -= 1;
        return { status: "read", text: "x" };
      },
    });
    indexer.wake();
    await indexer.idle();
    assert.equal(most, 2);
    await indexer.close();
  });
});
