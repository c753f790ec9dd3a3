import assert from "node:assert/strict";
import { storeFileId } from "../../records/search.ts";
import type { Store } from "../../live/store.ts";
import { everyStore } from "../../testing/every-store.ts";
import { owner } from "../../testing/store-fixtures.ts";

async function addFile(store: Store, id: string, text: string): Promise<void> {
  const blob = await store.receiveBlob(bytesOf(text));
  const file = { id, owner, name: `${id}.txt`, mimeType: "text/plain" };
  await store.writeWithBlob(blob, {
    type: "create-file",
    file: { ...file, purpose: "assistants", source: "upload" },
    blob: { sha256: blob.sha256, size: blob.size },
  });
  await blob.discard();
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

const add = (fileId: string) =>
  ({ type: "add-store-files", owner, storeId: "vs_A", files: [{ fileId, data: {} }] }) as const;

const index = (fileId: string, revision: number, texts: readonly string[]) =>
  ({
    type: "index-file",
    owner,
    storeId: "vs_A",
    fileId,
    revision,
    status: "completed",
    data: {},
    chunks: texts.map((text) => ({ text, words: text, place: { page: 1 }, vector: "AA==" })),
  }) as const;

async function openStoreA(store: Store): Promise<void> {
  await store.write([
    { type: "save-vector-store", owner, id: "vs_A", data: { name: "a" }, isNew: true },
  ]);
  await addFile(store, "file-1", "one");
  await addFile(store, "file-2", "two");
}

const find = (store: Store, words: readonly string[], more: object = {}) =>
  store
    .searchChunks({ owner, storeId: "vs_A", words, limit: 10, ...more })
    .then((chunks) => chunks.map(({ text }) => text));

everyStore("the parts of indexed files are found by their words", async (withStore) => {
  await withStore(async (store) => {
    await openStoreA(store);
    await store.write([add("file-1"), add("file-2")]);
    const pending = await store.listUnindexed({ owner, after: -1 });
    assert.deepEqual(
      pending.map(({ fileId, revision }) => [fileId, revision]),
      [
        ["file-1", 1],
        ["file-2", 1],
      ],
    );
    await store.write([
      index("file-1", 1, ["w1 w2", "w3 w3 w3"]),
      index("file-2", 1, ["w3 w4 w5 w6"]),
    ]);
    assert.deepEqual(await find(store, ["w3"]), ["w3 w3 w3", "w3 w4 w5 w6"]);
    assert.deepEqual(await find(store, ["w1", "w9"]), ["w1 w2"]);
    assert.deepEqual(await find(store, ["w3"], { fileIds: ["file-2"] }), ["w3 w4 w5 w6"]);
    assert.deepEqual(await find(store, ["w3"], { owner: "someone" }), []);
    assert.deepEqual(await find(store, ["w3"], { storeId: "vs_B" }), []);
    assert.deepEqual(await find(store, ['w3" OR', "NEAR(", "*"]), []);
    assert.deepEqual(await store.countStoreFiles({ owner, ids: ["vs_A"] }), [
      { parentId: "vs_A", status: "completed", files: 2, bytes: 36 },
    ]);
    const vectors = await store.readVectors({ owner, storeId: "vs_A", fileIds: ["file-1"] });
    assert.deepEqual(
      vectors.map(({ vector }) => vector),
      ["AA==", "AA=="],
    );
    // A deleted file is in no index.
    await store.write([{ type: "delete-file", owner, id: "file-1" }]);
    assert.deepEqual(await find(store, ["w1", "w3"]), ["w3 w4 w5 w6"]);
    await store.write([{ type: "delete-vector-store", owner, id: "vs_A" }]);
    assert.deepEqual(await find(store, ["w3"]), []);
    assert.equal(
      await store.getSearchObject({ owner, id: storeFileId("vs_A", "file-2") }),
      undefined,
    );
  });
});

everyStore("an index that is late is not stored", async (withStore) => {
  await withStore(async (store) => {
    await openStoreA(store);
    const [foreign] = await store.write([{ ...add("file-1"), owner: "someone" }]);
    assert.equal(foreign.status, "not_found");
    const [missing] = await store.write([add("file-9")]);
    assert.deepEqual(missing, { status: "missing_file", fileId: "file-9" });
    await store.write([
      { ...add("file-1"), batch: { id: "vsfb_1", data: {} } },
      // Added again: the index of the first time is late.
      add("file-2"),
      add("file-2"),
      { type: "cancel-batch", owner, id: "vsfb_1" },
    ]);
    for (const late of [index("file-1", 1, ["w1"]), index("file-2", 1, ["w2"])]) {
      const [outcome] = await store.write([late]);
      assert.equal(outcome.status, "not_found");
    }
    const [stored] = await store.write([index("file-2", 2, ["w2"])]);
    assert.equal(stored.status, "indexed");
    assert.deepEqual(await find(store, ["w1", "w2"]), ["w2"]);
    assert.deepEqual(await store.countBatchFiles({ owner, id: "vsfb_1" }), [
      { parentId: "vsfb_1", status: "cancelled", files: 1, bytes: 0 },
    ]);
    await store.write([{ type: "remove-store-file", owner, storeId: "vs_A", fileId: "file-2" }]);
    assert.deepEqual(await find(store, ["w2"]), []);
    assert.deepEqual(
      await store
        .listSearchObjects({ owner, order: "desc", limit: 9 })
        .then((all) => all.map(({ id, revision }) => [id, revision])),
      [["vs_A", 5]],
    );
  });
});

everyStore("a vector store is created with all of its files, or not at all", async (withStore) => {
  await withStore(async (store) => {
    await addFile(store, "file-1", "one");
    const create = { type: "save-vector-store", owner, id: "vs_A", data: {}, isNew: true } as const;
    const file = (fileId: string) => ({ fileId, data: {} });
    const [missing] = await store.write([{ ...create, files: [file("file-1"), file("file-9")] }]);
    assert.deepEqual(missing, { status: "missing_file", fileId: "file-9" });
    assert.deepEqual(await store.listSearchObjects({ owner, order: "asc", limit: 9 }), []);
    assert.deepEqual(await store.listUnindexed({ owner, after: -1 }), []);
    await store.write([{ ...create, files: [file("file-1"), file("file-1")] }]);
    const pending = await store.listUnindexed({ owner, after: -1 });
    assert.deepEqual(
      pending.map(({ id, revision }) => [id, revision]),
      [["vs_A/file-1", 1]],
    );
  });
});

everyStore(
  "a change of attributes and the end of the indexing keep each other",
  async (withStore) => {
    await withStore(async (store) => {
      await openStoreA(store);
      await store.write([add("file-1")]);
      const change = {
        type: "change-store-file",
        owner,
        storeId: "vs_A",
        fileId: "file-1",
      } as const;
      const data = () =>
        store.getSearchObject({ owner, id: "vs_A/file-1" }).then((file) => file?.data);
      await store.write([{ ...change, data: { attributes: { year: 1 } } }]);
      await store.write([{ ...index("file-1", 1, ["w1"]), data: { embedding: "m" } }]);
      assert.deepEqual(await data(), { attributes: { year: 1 }, embedding: "m" });
      await store.write([{ ...change, data: { attributes: { year: 2 } } }]);
      assert.deepEqual(await data(), { attributes: { year: 2 }, embedding: "m" });
    });
  },
);
