import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { everyStore } from "../../testing/every-store.ts";
import {
  commit,
  newRun,
  owner,
  resultOf,
  withDataDir,
  withFileStore,
} from "../../testing/store-fixtures.ts";
import { backupStore, checkStore } from "../../upkeep/maintenance.ts";
import { prune } from "../../upkeep/prune.ts";
import { openStore } from "../../sqlite/open-store.ts";
import type { FileQuota, NewFile } from "../../records/files.ts";
import type { Store } from "../../live/store.ts";

const fileOf = (file: Partial<NewFile> = {}): NewFile => ({
  id: "file-1",
  owner,
  name: "notes.txt",
  mimeType: "text/plain",
  purpose: "user_data",
  source: "upload",
  ...file,
});

async function* inPieces(bytes: Uint8Array, size = 50_000): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function create(
  store: Store,
  { bytes = Buffer.from("some text"), quota, ...file }: Partial<NewFile> & FileOptions = {},
) {
  const blob = await store.receiveBlob(inPieces(bytes));
  try {
    const { sha256, size } = blob;
    return await store.writeWithBlob(blob, {
      type: "create-file",
      file: fileOf(file),
      blob: { sha256, size },
      ...(quota && { quota }),
    });
  } finally {
    await blob.discard();
  }
}

interface FileOptions {
  readonly bytes?: Uint8Array;
  readonly quota?: FileQuota;
}

const read = async (store: Store, sha256: string, range?: { from: number; to: number }) => {
  const pieces = await store.streamBlob(sha256, range);
  return pieces && Buffer.concat(await Array.fromAsync(pieces));
};

everyStore("a file is received in pieces, read by range, and deleted", async (withStore) => {
  await withStore(async (store) => {
    const bytes = randomBytes(2_500_000);
    assert.deepEqual(await create(store, { bytes }), { status: "created" });
    const file = await store.getFile({ owner, id: "file-1" });
    assert.ok(file !== undefined);
    assert.deepEqual([file.bytes, file.name, file.source], [2_500_000, "notes.txt", "upload"]);
    assert.ok((await read(store, file.sha256))?.equals(bytes));
    for (const [from, to] of [
      [0, 1],
      [1_048_570, 1_048_580],
      [1_048_576, 2_500_000],
      [2_499_999, 2_500_000],
      [5, 5],
    ] as const)
      assert.ok((await read(store, file.sha256, { from, to }))?.equals(bytes.subarray(from, to)));
    assert.equal(await store.getFile({ owner: "other", id: "file-1" }), undefined);
    assert.deepEqual(await store.listFiles({ owner: "other" }), { data: [], hasMore: false });
    const foreign = { type: "delete-file", owner: "other", id: "file-1" } as const;
    assert.deepEqual(await store.write([foreign]), [{ status: "not_found" }]);
    const [deleted] = await store.write([{ ...foreign, owner }]);
    assert.equal(deleted.status, "deleted");
    assert.equal(await store.getFile({ owner, id: "file-1" }), undefined);
  });
});

everyStore(
  "lists of files have an order, a purpose, a conversation and a cursor",
  async (withStore) => {
    await withStore(async (store) => {
      for (const [id, purpose] of [
        ["file-a", "user_data"],
        ["file-b", "vision"],
        ["file-c", "user_data"],
      ] as const)
        await create(store, { id, purpose });
      const ids = async (query: Omit<Parameters<Store["listFiles"]>[0], "owner">) => {
        const { data, hasMore } = await store.listFiles({ owner, ...query });
        return [
          ...data.map((file) => ("id" in file ? file.id : "corrupt")),
          ...(hasMore ? ["…"] : []),
        ];
      };
      assert.deepEqual(await ids({}), ["file-c", "file-b", "file-a"]);
      assert.deepEqual(await ids({ order: "asc", limit: 2 }), ["file-a", "file-b", "…"]);
      assert.deepEqual(await ids({ purpose: "user_data" }), ["file-c", "file-a"]);
      const after = await store.findFileCursor({ owner, id: "file-b" });
      assert.ok(after !== undefined);
      assert.deepEqual(await ids({ after }), ["file-a"]);
      assert.deepEqual(await ids({ after, order: "asc" }), ["file-c"]);
      assert.deepEqual(
        [...(await store.readFiles({ owner, ids: ["file-a", "file-x"] })).keys()],
        ["file-a"],
      );

      // The files of a conversation.
      await store.write([
        {
          type: "create-conversation",
          id: "conv_1",
          owner,
          title: "",
          metadata: {},
          switches: { groups: {}, tools: {} },
        },
      ]);
      const sent = Buffer.from("sent");
      const sha256 = createHash("sha256").update(sent).digest("hex");
      await create(store, { id: "file-sent", bytes: sent });
      await create(store, { id: "file-other", bytes: Buffer.from("other") });
      await create(store, { id: "file-foreign", owner: "other", bytes: sent });
      const run = newRun({
        id: "run_1",
        conversationId: "conv_1",
        blobs: [{ sha256, size: sent.length }],
      });
      await store.write([{ type: "create-run", run }]);
      await create(store, { id: "file-made", source: "tool", runId: "run_1" });
      assert.deepEqual(await ids({ conversationId: "conv_1" }), ["file-made", "file-sent"]);
      assert.deepEqual(await ids({ conversationId: "conv_1", order: "asc", limit: 1 }), [
        "file-sent",
        "…",
      ]);
      assert.deepEqual(await ids({ conversationId: "conv_2" }), []);
      assert.equal((await ids({})).length, 6);
    });
  },
);

everyStore("a quota limits the number and the bytes of a user's files", async (withStore) => {
  await withStore(async (store) => {
    const quota = { files: 2, bytes: 20 };
    const bytes = Buffer.alloc(10);
    assert.equal((await create(store, { id: "file-a", bytes, quota })).status, "created");
    const tooLong = await create(store, { id: "file-b", bytes: Buffer.alloc(11), quota });
    assert.equal(tooLong.status, "refused");
    assert.equal(await store.getFile({ owner, id: "file-b" }), undefined);
    assert.equal((await create(store, { id: "file-b", bytes, quota })).status, "created");
    assert.equal(
      (await create(store, { id: "file-c", bytes: Buffer.alloc(0), quota })).status,
      "refused",
    );
    const other = await create(store, { id: "file-d", owner: "other", bytes, quota });
    assert.equal(other.status, "created");

    // The quota of all users, which have three files of 30 bytes.
    const common = { files: 9, bytes: 900, total: { files: 4, bytes: 35 } };
    const more = async (id: string, size: number, of: string) => {
      const file = { id, owner: of, bytes: Buffer.alloc(size), quota: common };
      const outcome = await create(store, file);
      return outcome.status === "refused" ? outcome.reason : outcome.status;
    };
    assert.match(await more("file-e", 6, owner), /limits\.fileBytesOfAll/);
    assert.equal(await more("file-e", 5, "other"), "created");
    assert.match(await more("file-f", 0, owner), /limits\.filesOfAll/);
  });
});

everyStore("an expired file is absent at once and deleted by retention", async (withStore) => {
  await withStore(async (store, clock) => {
    const now = clock.now();
    await create(store, { id: "file-a", ttlMs: 5_000 });
    await create(store, { id: "file-b" });
    clock.set(now + 5_000);
    assert.equal(await store.getFile({ owner, id: "file-a" }), undefined);
    assert.ok((await store.findFileCursor({ owner, id: "file-a" })) !== undefined);
    await prune({ store, retention: {}, now: clock.now() });
    assert.equal(await store.findFileCursor({ owner, id: "file-a" }), undefined);
    assert.ok((await store.getFile({ owner, id: "file-b" })) !== undefined);
    clock.set(now + 3 * 86_400_000);
    await prune({ store, retention: { days: 2 }, now: clock.now() });
    assert.equal(await store.getFile({ owner, id: "file-b" }), undefined);
  });
});

everyStore("an upload collects parts and ends once", async (withStore) => {
  await withStore(async (store, clock) => {
    const upload = { id: "upload_1", owner, name: "a.bin", mimeType: "x/y", bytes: 4 } as const;
    await store.write([
      { type: "create-upload", upload: { ...upload, purpose: "user_data", ttlMs: 1_000 } },
    ]);
    const add = async (id: string, by = owner) => {
      const blob = await store.receiveBlob(inPieces(Buffer.from(id)));
      try {
        const { sha256, size } = blob;
        const part = { owner: by, uploadId: "upload_1", id, blob: { sha256, size } };
        const { status } = await store.writeWithBlob(blob, { type: "add-upload-part", ...part });
        return status;
      } finally {
        await blob.discard();
      }
    };
    assert.equal(await add("p1"), "added_part");
    assert.equal(await add("p2", "other"), "not_found");
    const parts = await store.readUploadParts({ owner, id: "upload_1" });
    assert.deepEqual(
      parts.map(({ id, bytes }) => [id, bytes]),
      [["p1", 2]],
    );
    await store.collectBlobs();
    assert.equal((await read(store, parts[0]?.sha256 ?? ""))?.toString(), "p1");
    clock.set(clock.now() + 1_000);
    assert.equal((await store.getUpload({ owner, id: "upload_1" }))?.status, "expired");
    assert.equal(await add("p3"), "refused");
    const end = { type: "end-upload", owner, id: "upload_1" } as const;
    assert.equal((await store.write([end]))[0].status, "refused");
    await store.write([{ type: "expire-files" }]);
    assert.deepEqual(await store.readUploadParts({ owner, id: "upload_1" }), []);
  });
});

const blobsIn = async (dataDir: string) =>
  (await readdir(join(dataDir, "blobs"), { recursive: true, withFileTypes: true }).catch(() => []))
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);

test("a blob stays while a file or a run refers to it", async () => {
  await withFileStore(async (store, dataDir) => {
    await create(store, { id: "file-a" });
    await create(store, { id: "file-b" });
    const file = await store.getFile({ owner, id: "file-a" });
    assert.ok(file !== undefined);
    const blobs = [{ sha256: file.sha256, size: file.bytes }];
    await store.write([{ type: "create-run", run: newRun({ id: "r", blobs }) }]);
    await commit(store, "r", [resultOf("completed")]);
    for (const id of ["file-a", "file-b"]) await store.write([{ type: "delete-file", owner, id }]);
    await store.collectBlobs();
    assert.equal((await blobsIn(dataDir)).length, 1);
    await store.write([{ type: "delete-run", owner, id: "r" }]);
    await store.write([{ type: "collect-forgotten", rows: 100, bytes: 100_000 }]);
    await store.collectBlobs();
    assert.deepEqual(await blobsIn(dataDir), []);
  });
});

test("bytes that were received without a row, or whose sender failed, leave nothing", async () => {
  await withFileStore(async (store, dataDir) => {
    const failing = (async function* () {
      yield Buffer.from("half");
      throw new Error("cut short");
    })();
    await assert.rejects(store.receiveBlob(failing), /cut short/);
    const blob = await store.receiveBlob(inPieces(Buffer.from("whole")));
    await blob.discard();
    assert.deepEqual(await blobsIn(dataDir), []);
  });
});

test("a backup has the bytes of files, and a restored backup reads them", async () => {
  await withFileStore(async (store, dataDir) => {
    await create(store);
    await withDataDir(async (other) => {
      await backupStore(dataDir, join(other, "capstan.db"));
      const restored = await openStore({ dataDir: other });
      const file = await restored.getFile({ owner, id: "file-1" });
      assert.equal((await read(restored, file?.sha256 ?? ""))?.toString(), "some text");
      await restored.close();
    });
  });
});

test("db check reports a changed row and the missing bytes of a file", async () => {
  await withDataDir(async (dataDir) => {
    const store = await openStore({ dataDir });
    await create(store, { id: "file-a" });
    await create(store, { id: "file-b", bytes: Buffer.from("other") });
    const { sha256 = "" } = (await store.getFile({ owner, id: "file-b" })) ?? {};
    await store.close();
    assert.deepEqual((await checkStore({ dataDir })).problems, []);
    await rm(join(dataDir, "blobs", sha256.slice(0, 2), sha256.slice(2)));
    const sql = new DatabaseSync(join(dataDir, "capstan.db"));
    sql.exec("UPDATE files SET name = 'x' WHERE id = 'file-a'");
    sql.close();
    const { problems } = await checkStore({ dataDir });
    assert.match(problems.join("\n"), /Row file-a of the table files is corrupt/);
    assert.match(problems.join("\n"), /The content of file file-b is missing/);
    const opened = await openStore({ dataDir });
    const { data } = await opened.listFiles({ owner });
    assert.deepEqual(
      data.map((each) => "isCorrupt" in each),
      [false, true],
    );
    await opened.close();
  });
});

const createOf = (id: string) =>
  ({ type: "create-run", run: newRun({ id, status: "in_progress" }) }) as const;

const endOf = (runId: string) =>
  ({ type: "journal", runId, epoch: 1, writes: [resultOf("completed")] }) as const;

everyStore("a tool's files are deleted with their run", async (withStore) => {
  await withStore(async (store) => {
    await store.write([createOf("run_1"), createOf("run_2")]);
    await create(store, { id: "file-a", source: "tool", runId: "run_1" });
    await create(store, { id: "file-b", source: "tool", runId: "run_2", bytes: Buffer.from("b") });
    await create(store, { id: "file-c" });
    const stranger = await create(store, { id: "file-d", owner: "other", runId: "run_1" });
    assert.equal(stranger.status, "refused");
    await store.write([endOf("run_1")]);
    await store.write([{ type: "delete-run", owner, id: "run_1" }]);
    const left = async () => {
      const { data } = await store.listFiles({ owner });
      return data.map(({ id }) => id);
    };
    assert.deepEqual(await left(), ["file-c", "file-b"]);
    await store.write([{ type: "delete-file", owner, id: "file-b" }]);
    await store.write([endOf("run_2")]);
    const [deleted] = await store.write([{ type: "delete-run", owner, id: "run_2" }]);
    assert.equal(deleted.status, "deleted");
    assert.deepEqual(await left(), ["file-c"]);
  });
});

everyStore(
  "a run that stores its file again, after a crash, finds it created",
  async (withStore) => {
    await withStore(async (store) => {
      await store.write([createOf("run_1"), createOf("run_2")]);
      const file = { id: "file-a", source: "tool", runId: "run_1" } as const;
      const quota = { files: 1, bytes: 100 };
      for (let attempt = 0; attempt < 2; attempt += 1)
        assert.deepEqual(await create(store, { ...file, quota }), { status: "created" });
      const { data } = await store.listFiles({ owner });
      assert.equal(data.length, 1);
      const [kept] = data;
      assert.ok(kept !== undefined && "sha256" in kept);
      assert.equal((await read(store, kept.sha256))?.toString(), "some text");
      for (const other of [{ bytes: Buffer.from("other") }, { runId: "run_2" }])
        await assert.rejects(create(store, { ...file, ...other }));
    });
  },
);

everyStore("retention deletes the files of the runs that it deletes", async (withStore) => {
  await withStore(async (store, clock) => {
    await store.write([createOf("run_1")]);
    await create(store, { id: "file-a", source: "tool", runId: "run_1" });
    await store.write([endOf("run_1")]);
    const start = { type: "session", id: "run_1" } as const;
    const before = clock.now() + 1_000;
    await store.write([{ type: "forget-lineage", owner, start, before }]);
    assert.deepEqual(await store.listFiles({ owner }), { data: [], hasMore: false });
    await store.write([{ type: "collect-forgotten", rows: 100, bytes: 100_000 }]);
    assert.equal(await store.getFile({ owner, id: "file-a" }), undefined);
  });
});
