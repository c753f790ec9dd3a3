import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import fs, { readdir, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import fc from "fast-check";
import type { JsonValue, Message } from "@capstan/core";
import { everyStore } from "../testing/every-store.ts";
import {
  commit,
  createRun,
  newRun,
  owner,
  resultOf,
  withDataDir,
  withMemoryStore,
} from "../testing/store-fixtures.ts";
import { BlobHolds } from "./blob-holds.ts";
import { MemoryBlobs, sha256Of } from "./blob-store.ts";
import { DiskBlobs } from "./disk-blobs.ts";
import { joinList, type NewBlob, splitList } from "./split-inputs.ts";

async function blobOf(bytes: Uint8Array): Promise<Required<NewBlob>> {
  return { sha256: await sha256Of(bytes), size: bytes.length, bytes };
}

async function listed(blobs: { list: () => AsyncIterable<string> }): Promise<readonly string[]> {
  return (await Array.fromAsync(blobs.list())).toSorted();
}

// Contract: durability-5
test("returns the written bytes of a blob on disk, whole and in pieces", async () => {
  await withDataDir(async (dataDir) => {
    const blobs = new DiskBlobs(join(dataDir, "blobs"));
    assert.deepEqual(await listed(blobs), []);
    const blob = await blobOf(randomBytes(300_000));
    await Promise.all([blobs.put(blob), blobs.put(blob)]);
    assert.deepEqual(await listed(blobs), [blob.sha256]);
    assert.deepEqual(Buffer.from((await blobs.get(blob.sha256)) ?? []), blob.bytes);
    const pieces = await Array.fromAsync((await blobs.stream(blob.sha256)) ?? []);
    assert.ok(pieces.length > 1);
    assert.deepEqual(Buffer.concat(pieces), blob.bytes);
    await blobs.delete(blob.sha256);
    assert.deepEqual(
      [await blobs.get(blob.sha256), await blobs.stream(blob.sha256), await blobs.has(blob.sha256)],
      [undefined, undefined, false],
    );
  });
});

// Contract: durability-5
test("a blob that an earlier process wrote is stored after its folder is flushed once", async (t) => {
  await withDataDir(async (dataDir) => {
    const { sha256, bytes } = await blobOf(Buffer.from("written before a kill"));
    await new DiskBlobs(dataDir).put({ sha256, bytes });
    const opened: unknown[] = [];
    const { open } = fs;
    t.mock.method(fs, "open", (...given: Parameters<typeof open>) => {
      opened.push(given[0]);
      return open(...given);
    });
    syncBuiltinESMExports();
    t.after(() => {
      t.mock.restoreAll();
      syncBuiltinESMExports();
    });
    const blobs = new DiskBlobs(dataDir);
    for (let n = 0; n < 2; n++) await blobs.put({ sha256, bytes });
    const folder = join(dataDir, sha256.slice(0, 2));
    assert.equal(opened.filter((path) => path === folder).length, 1);
  });
});

// Contract: durability-5
test("deletes a half-written file after a crash and does not treat it as a blob", async () => {
  await withDataDir(async (dataDir) => {
    const blobs = new DiskBlobs(dataDir);
    const { sha256, bytes, size } = await blobOf(Buffer.from("whole"));
    await blobs.put({ sha256, bytes });
    const folder = join(dataDir, sha256.slice(0, 2));
    await writeFile(join(folder, `${"0".repeat(62)}.77-1.tmp`), bytes.subarray(0, size - 1));
    assert.deepEqual(await listed(blobs), [sha256]);
    await blobs.deleteUnfinished();
    assert.deepEqual(await readdir(folder), [sha256.slice(2)]);
  });
});

// Contract: durability-5
test("collections delete no blob that a row refers to, in any order of puts, commits and collections", async () => {
  const step = fc.record({
    type: fc.constantFrom("add", "remove", "collect"),
    text: fc.constantFrom("a", "b", "c"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), fc.scheduler(), async (steps, s) => {
      const stored = new MemoryBlobs();
      const scheduled = {
        put: s.scheduleFunction((blob: Required<NewBlob>) => stored.put(blob)),
        delete: s.scheduleFunction((sha256: string) => stored.delete(sha256)),
      };
      const holds = new BlobHolds(
        Object.assign(Object.create(stored), {
          ...scheduled,
          list: () => stored.list(),
        }) as MemoryBlobs,
      );
      const rows = new Map<string, number>();
      const referenced = s.scheduleFunction(
        async (hashes: readonly string[]): Promise<ReadonlySet<string>> =>
          new Set(hashes.filter((sha256) => (rows.get(sha256) ?? 0) > 0)),
      );
      const commit = s.scheduleFunction(async (sha256: string) => {
        rows.set(sha256, (rows.get(sha256) ?? 0) + 1);
      });
      const done = steps.map(async ({ type, text }) => {
        const blob = await blobOf(Buffer.from(text));
        if (type === "collect") return void (await holds.collect(referenced));
        if (type === "remove") return void rows.set(blob.sha256, 0);
        const release = await holds.hold([blob]);
        await commit(blob.sha256);
        release();
      });
      await s.waitFor(Promise.all(done));
      for (const [sha256, count] of rows) if (count > 0) assert.ok(await stored.has(sha256));
    }),
    { numRuns: 200 },
  );
});

const items = fc.array(fc.record({ type: fc.constant("x"), text: fc.string({ maxLength: 9 }) }), {
  maxLength: 40,
});

test("a split list is read unchanged, and a longer list shares its blobs", async () => {
  await fc.assert(
    fc.asyncProperty(items, items, fc.integer({ min: 1, max: 40_000 }), async (a, b, length) => {
      const long = a.map((item) => ({ ...item, text: item.text.padEnd(length, item.text || "-") }));
      const blobs = new Map<string, NewBlob>();
      const split = await splitList(long, blobs);
      const stored = new MemoryBlobs();
      for (const { sha256, bytes } of blobs.values())
        await stored.put({ sha256, bytes: bytes ?? new Uint8Array() });
      assert.deepEqual(await joinList(split, stored), long);
      const more = new Map<string, NewBlob>();
      await splitList([...long, ...b], more);
      if (more.size > 0) for (const sha256 of blobs.keys()) assert.ok(more.has(sha256));
    }),
    { numRuns: 60 },
  );
});

const long = "A long text. ".repeat(10_000);
const input: readonly JsonValue[] = Array.from({ length: 30 }, (_, n) => ({
  type: "message",
  role: "user",
  content: [{ type: "input_text", text: `${n} ${long}` }],
}));

// Contract: durability-6
everyStore("a long input is not in its run's row and is read separately", async (withStore) => {
  await withStore(async (store) => {
    const context: readonly Message[] = [{ role: "user", content: long }];
    const message: Message = { role: "user", content: `now ${long}` };
    const image = await blobOf(randomBytes(3_000_000));
    const { sha256, size } = image;
    const picture: Message = {
      role: "user",
      content: [{ type: "image", mimeType: "image/png", source: { type: "blob", sha256, size } }],
    };
    const writes = [message, picture].map(
      (each) => ({ type: "message", round: 0, message: each }) as const,
    );
    const request = { context } as unknown as JsonValue;
    await store.write([
      { type: "create-run", run: newRun({ id: "r", input, request, blobs: [image] }) },
      { type: "journal", runId: "r", epoch: 1, writes },
    ]);
    const query = { owner, runId: "r" };
    const run = await store.getRun({ owner, id: "r" });
    assert.equal(run?.isInputCut, true);
    assert.ok(JSON.stringify(run).length < 100_000, "the row is short");
    const shown = JSON.stringify(run.input.at(-1));
    assert.match(shown, /29 A long text/);
    assert.deepEqual(await store.readInput(query), input);
    assert.deepEqual(
      await store.readList((run.request as unknown as { context: readonly Message[] }).context),
      context,
    );
    assert.deepEqual(await store.readMessages(query), [message, picture]);
    assert.deepEqual((await store.readChain(query))?.messages, [message, picture]);
    assert.deepEqual((await store.ancestors(query))?.[0]?.messages, [message, picture]);
    assert.deepEqual(Buffer.from((await store.readBlob(sha256)) ?? []), image.bytes);
    const { data } = await store.searchRuns({ owner });
    assert.ok(JSON.stringify(data).length < 100_000, "the list is short");
    assert.equal(await store.readInput({ owner: "other", runId: "r" }), undefined);
  });
});

// Contract: durability-6
everyStore("requests that repeat their items share them", async (withStore) => {
  await withStore(async (store) => {
    const bytesOf = async () => (await store.everyUsage())[0]?.bytes ?? 0;
    await createRun(store, { id: "r1", input });
    const once = await bytesOf();
    await createRun(store, { id: "r2", input: [...input, { type: "message", role: "user" }] });
    const repeated = (await bytesOf()) - once;
    assert.ok(repeated < once / 20, `${repeated} of ${once} bytes`);
  });
});

// Contract: durability-5
everyStore("deletes blobs with the last run that refers to them", async (withStore, kind) => {
  await withStore(async (store) => {
    const image = await blobOf(randomBytes(50_000));
    for (const id of ["r1", "r2"])
      await createRun(store, { id, status: "completed", blobs: [image] });
    await store.write([{ type: "delete-run", owner, id: "r1" }]);
    await store.collectBlobs();
    assert.notEqual(await store.readBlob(image.sha256), undefined);
    await store.write([{ type: "delete-run", owner, id: "r2" }]);
    await store.collectBlobs();
    // Another node on PostgreSQL can be about to refer to the blob, so it is kept for an hour.
    const isKept = (await store.readBlob(image.sha256)) !== undefined;
    assert.equal(isKept, kind === "PostgreSQL");
  });
});

test("a store reads long answers separately from their runs", async () => {
  await withMemoryStore(async (store) => {
    await createRun(store, { id: "r" });
    const { result } = resultOf("completed");
    const whole = { ...result, answer: long, log: { replay: long } };
    await commit(store, "r", [{ type: "result", result: whole }]);
    const run = await store.getRun({ owner, id: "r" });
    assert.ok(JSON.stringify(run).length < 10_000);
    assert.equal(run?.result?.status, "completed");
    const [line] = (await store.ancestors({ owner, runId: "r" })) ?? [];
    assert.equal(line?.run.result?.log?.replay, long);
  });
});
