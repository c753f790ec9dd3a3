import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../../live/store.ts";
import { everyStore, withTwoNodes } from "../../testing/every-store.ts";
import { findPostgres } from "../../testing/postgres-server.ts";
import { owner } from "../../testing/store-fixtures.ts";

const file = { owner, storeId: "vs_A", fileId: "file-1" } as const;
const fileOf = (fileId: string) => ({ ...file, fileId });

async function addFile(store: Store, id: string): Promise<void> {
  async function* pieces() {
    yield new TextEncoder().encode(id);
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
}

/** Creates a store with files that are not indexed yet. */
async function openStoreA(store: Store, ...fileIds: readonly string[]): Promise<void> {
  for (const id of fileIds) await addFile(store, id);
  const files = fileIds.map((fileId) => ({ fileId, data: {} }));
  await store.write([
    { type: "save-vector-store", owner, id: "vs_A", data: {}, isNew: true, files },
  ]);
}

const chunksOf = (texts: readonly string[]) =>
  texts.map((text) => ({ text, words: text, place: {}, vector: "AA==" }));

async function claim(store: Store, fileId: string, revision: number): Promise<number> {
  const [claimed] = await store.write([{ type: "claim-index", ...fileOf(fileId), revision }]);
  assert.equal(claimed.status, "claimed_index");
  return claimed.status === "claimed_index" ? claimed.revision : 0;
}

async function addParts(
  store: Store,
  { fileId = "file-1", revision, texts }: PartsOf,
): Promise<string> {
  const chunks = chunksOf(texts);
  const [added] = await store.write([{ type: "index-parts", ...fileOf(fileId), revision, chunks }]);
  return added.status;
}

interface PartsOf {
  readonly fileId?: string;
  readonly revision: number;
  readonly texts: readonly string[];
}

async function complete(
  store: Store,
  { fileId = "file-1", revision, texts }: PartsOf,
): Promise<string> {
  const [indexed] = await store.write([
    {
      type: "index-file",
      ...fileOf(fileId),
      revision,
      status: "completed",
      data: {},
      chunks: chunksOf(texts),
      position: 1_000,
      bytes: 7,
    },
  ]);
  return indexed.status;
}

/** Returns all parts that each kind of read finds. */
async function found(store: Store, word: string): Promise<readonly string[]> {
  const byWord = await store.searchChunks({ owner, storeId: "vs_A", words: [word], limit: 200 });
  const texts = byWord.map(({ text }) => text).toSorted();
  const fileIds = ["file-1", "file-2"];
  const vectors = await store.readVectors({ owner, storeId: "vs_A", fileIds });
  const byNumber = await store.readChunks({ owner, ns: vectors.map(({ n }) => n) });
  const ofFiles = await Promise.all(
    fileIds.map((fileId) => store.readStoreFile({ ...file, fileId })),
  );
  const withWord = (chunks: readonly { readonly text: string }[]) =>
    chunks
      .map(({ text }) => text)
      .filter((text) => text.split(" ").includes(word))
      .toSorted();
  assert.deepEqual(withWord(byNumber), texts, "the parts with vectors");
  assert.deepEqual(withWord(ofFiles.flat()), texts, "the parts of the files");
  return texts;
}

/** Deletes everything that is hidden. @returns the number of deleted rows */
async function collect(store: Store, rows = 7): Promise<number> {
  let deleted = 0;
  for (;;) {
    const [outcome] = await store.write([{ type: "collect-chunks", rows }]);
    if (outcome.status !== "collected_chunks") throw new Error(outcome.status);
    assert.ok(outcome.rows <= rows);
    deleted += outcome.rows;
    if (!outcome.more) return deleted;
  }
}

const many = (word: string) => Array.from({ length: 60 }, (_, n) => `${word} n${n}`);

everyStore("an index in several commits is visible as a whole", async (withStore) => {
  await withStore(async (store) => {
    await openStoreA(store, "file-1");
    const revision = await claim(store, "file-1", 1);
    assert.equal(await addParts(store, { revision, texts: ["w1 a", "w1 b"] }), "indexed_parts");
    assert.deepEqual(await found(store, "w1"), []);
    assert.equal(await collect(store), 0, "a claimed file is not collected");
    assert.equal(await complete(store, { revision, texts: ["w1 c"] }), "indexed");
    assert.deepEqual(await found(store, "w1"), ["w1 a", "w1 b", "w1 c"]);
    const stored = await store.getSearchObject({ owner, id: "vs_A/file-1" });
    assert.equal(stored?.bytes, 7 + "w1 c".length + "AA==".length);
    assert.equal(await addParts(store, { revision, texts: ["w1 late"] }), "not_found");
    assert.equal(await collect(store), 0);
  });
});

everyStore("the hidden parts of a file do not hide others", async (withStore) => {
  await withStore(async (store) => {
    await openStoreA(store, "file-1", "file-2");
    assert.equal(
      await complete(store, { fileId: "file-2", revision: 1, texts: ["w1 x y"] }),
      "indexed",
    );
    const revision = await claim(store, "file-1", 1);
    await addParts(store, { revision, texts: many("w1 w1") });
    const byWord = await store.searchChunks({ owner, storeId: "vs_A", words: ["w1"], limit: 2 });
    assert.deepEqual(
      byWord.map(({ text }) => text),
      ["w1 x y"],
    );
  });
});

everyStore(
  "an index that a crash left unfinished is replaced by the next claim",
  async (withStore) => {
    await withStore(async (store) => {
      await openStoreA(store, "file-1");
      const first = await claim(store, "file-1", 1);
      await addParts(store, { revision: first, texts: many("w1") });
      // The process that claimed it died; the next one finds the file as it was.
      const [pending] = await store.listUnindexed({ owner, after: -1 });
      const second = await claim(store, "file-1", pending?.revision ?? 0);
      assert.equal(await addParts(store, { revision: first, texts: ["w1 late"] }), "not_found");
      assert.equal(await complete(store, { revision: first, texts: ["w1 late"] }), "not_found");
      assert.equal(await collect(store), 60, "the parts of the first claim");
      await addParts(store, { revision: second, texts: ["w1 a"] });
      await complete(store, { revision: second, texts: ["w1 b"] });
      assert.deepEqual(await found(store, "w1"), ["w1 a", "w1 b"]);
      assert.equal(await collect(store), 0);
    });
  },
);

everyStore("an index that is not collected yet is replaced, too", async (withStore) => {
  await withStore(async (store) => {
    await openStoreA(store, "file-1");
    const first = await claim(store, "file-1", 1);
    await addParts(store, { revision: first, texts: many("w1") });
    const second = await claim(store, "file-1", first);
    await complete(store, { revision: second, texts: ["w1 b"] });
    assert.deepEqual(await found(store, "w1"), ["w1 b"]);
    assert.equal(await collect(store), 60);
    assert.deepEqual(await found(store, "w1"), ["w1 b"]);
  });
});

everyStore(
  "a file that is indexed again has its old index until the new one is complete",
  async (withStore) => {
    await withStore(async (store) => {
      await openStoreA(store, "file-1");
      const first = await claim(store, "file-1", 1);
      await complete(store, { revision: first, texts: many("w1") });
      await store.write([
        {
          type: "add-store-files",
          owner,
          storeId: "vs_A",
          files: [{ fileId: "file-1", data: {} }],
        },
      ]);
      const second = await claim(store, "file-1", first + 1);
      await addParts(store, { revision: second, texts: ["w1 new"] });
      assert.equal((await found(store, "w1")).length, 60);
      await complete(store, { revision: second, texts: ["w1 newer"] });
      assert.deepEqual(await found(store, "w1"), ["w1 new", "w1 newer"]);
      assert.equal(await collect(store), 60);
      assert.deepEqual(await found(store, "w1"), ["w1 new", "w1 newer"]);
    });
  },
);

const ends = {
  "is removed": (store: Store) => store.write([{ type: "remove-store-file", ...file }]),
  "is deleted": (store: Store) => store.write([{ type: "delete-file", owner, id: "file-1" }]),
  expires: (store: Store) =>
    store.write([{ type: "expire-files", older: { owner, before: 2 ** 50 } }]),
  "is of a deleted store": (store: Store) =>
    store.write([{ type: "delete-vector-store", owner, id: "vs_A" }]),
};

everyStore("the parts of a file that is gone are found by nothing", async (withStore) => {
  await withStore(async (store) => {
    for (const [name, end] of Object.entries(ends))
      for (const texts of [["w1 a"], many("w1")]) {
        const message = `${texts.length} parts of a file that ${name}`;
        await openStoreA(store, "file-1", "file-2");
        const indexed = await claim(store, "file-1", 1);
        await complete(store, { revision: indexed, texts });
        const writing = await claim(store, "file-2", 1);
        const other = { fileId: "file-2", revision: writing, texts };
        await addParts(store, other);
        await end(store);
        assert.deepEqual(await found(store, "w1"), [], message);
        await collect(store);
        const bothGone = name === "expires" || name === "is of a deleted store";
        const late = await addParts(store, { ...other, texts: ["w1 b"] });
        assert.equal(late, bothGone ? "not_found" : "indexed_parts", message);
        const last = await complete(store, { ...other, texts: [] });
        assert.equal(last, bothGone ? "not_found" : "indexed", message);
        const left = bothGone ? 0 : texts.length + 1;
        assert.equal((await found(store, "w1")).length, left, message);
        await store.write([{ type: "delete-vector-store", owner, id: "vs_A" }]);
        for (const id of ["file-1", "file-2"])
          await store.write([{ type: "delete-file", owner, id }]);
        await collect(store);
        assert.deepEqual(await store.everyUsage(), [], message);
      }
  });
});

everyStore(
  "a file that is added after its removal gets no version that it had",
  async (withStore) => {
    await withStore(async (store) => {
      await openStoreA(store, "file-1");
      const first = await claim(store, "file-1", 1);
      await addParts(store, { revision: first, texts: many("w1") });
      await store.write([
        { type: "remove-store-file", ...file },
        {
          type: "add-store-files",
          owner,
          storeId: "vs_A",
          files: [{ fileId: "file-1", data: {} }],
        },
      ]);
      const [pending] = await store.listUnindexed({ owner, after: -1 });
      const second = await claim(store, "file-1", pending?.revision ?? 0);
      assert.ok(second > first);
      await complete(store, { revision: second, texts: ["w1 new"] });
      assert.deepEqual(await found(store, "w1"), ["w1 new"]);
      await collect(store);
      assert.deepEqual(await found(store, "w1"), ["w1 new"]);
    });
  },
);

everyStore("the files of a deleted store are neither read nor indexed", async (withStore) => {
  await withStore(async (store) => {
    await openStoreA(store, "file-1", "file-2");
    const batch = { id: "vsfb_1", data: {} };
    const files = [{ fileId: "file-2", data: {} }];
    await store.write([
      { type: "add-store-files", owner, storeId: "vs_A", files, batch },
      { type: "delete-vector-store", owner, id: "vs_A" },
    ]);
    const reads = async () => [
      await store.getSearchObject({ owner, id: "vs_A/file-1" }),
      await store.getSearchObject({ owner, id: "vsfb_1" }),
      ...(await store.listSearchObjects({
        owner,
        of: { type: "store", id: "vs_A" },
        order: "asc",
        limit: 9,
      })),
      ...(await store.countStoreFiles({ owner, ids: ["vs_A"] })),
      ...(await store.countBatchFiles({ owner, id: "vsfb_1" })),
      ...(await store.listUnindexed({ owner, after: -1 })),
    ];
    assert.deepEqual(await reads(), [undefined, undefined]);
    const [cancelled] = await store.write([{ type: "cancel-batch", owner, id: "vsfb_1" }]);
    assert.equal(cancelled.status, "not_found");
    assert.equal(await collect(store, 2), 3);
    assert.deepEqual(await reads(), [undefined, undefined]);
  });
});

const postgres = findPostgres();
const skip = postgres.status === "missing" && postgres.reason;

test(
  "only one of two nodes indexes a file, and takes over the file of a dead node",
  { skip },
  async () => {
    await withTwoNodes(async (one, other) => {
      await openStoreA(one, "file-1");
      const claims = await Promise.all(
        [one, other].map((store) => store.write([{ type: "claim-index", ...file, revision: 1 }])),
      );
      const statuses = claims.map(([{ status }]) => status).toSorted();
      assert.deepEqual(statuses, ["claimed_index", "not_found"]);
      const winner = claims[0]?.[0].status === "claimed_index" ? one : other;
      const loser = winner === one ? other : one;
      const again = { type: "claim-index", ...file, revision: 2 } as const;
      const [refused] = await loser.write([again]);
      assert.equal(refused.status, "refused");
      await addParts(winner, { revision: 2, texts: many("w1") });
      const dead = (await loser.nodes?.list())?.find(({ id }) => id === winner.nodes?.self);
      assert.ok(dead !== undefined && (await loser.nodes?.declareDead(dead)) === true);
      const [taken] = await loser.write([again]);
      assert.deepEqual(taken, { status: "claimed_index", revision: 3 });
      assert.equal(await addParts(winner, { revision: 2, texts: ["w1 late"] }), "not_found");
      await complete(loser, { revision: 3, texts: ["w1 a"] });
      assert.deepEqual(await found(winner, "w1"), ["w1 a"]);
      assert.equal(await collect(winner), 60);
    });
  },
);
