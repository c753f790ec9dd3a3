import assert from "node:assert/strict";
import { test } from "node:test";
import { BlobHolds } from "./blob-holds.ts";
import { MemoryBlobs, sha256Of } from "./blob-store.ts";

test("a blob held after the first of two collections is not deleted by the second", async () => {
  const bytes = new TextEncoder().encode("text");
  const sha256 = await sha256Of(bytes);
  const blobs = new MemoryBlobs();
  await blobs.put({ sha256, bytes });
  const holds = new BlobHolds(blobs);
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const rows = new Set<string>();
  let asked = 0;
  const referenced = async (): Promise<ReadonlySet<string>> => {
    const found = new Set(rows);
    await gates[asked++]?.promise;
    return found;
  };
  const collections = [holds.collect(referenced), holds.collect(referenced)];
  await new Promise(setImmediate);
  gates[0]?.resolve();
  await collections[0];
  const held = holds.hold([{ sha256, size: bytes.length, bytes }]).then((release) => {
    rows.add(sha256);
    release();
  });
  await new Promise(setImmediate);
  gates[1]?.resolve();
  await held;
  await Promise.all(collections);
  assert.equal(await blobs.has(sha256), true);
});

test("rejects a reference without bytes if its blob is deleted meanwhile", async () => {
  const bytes = new TextEncoder().encode("text");
  const sha256 = await sha256Of(bytes);
  const blobs = new MemoryBlobs();
  await blobs.put({ sha256, bytes });
  const holds = new BlobHolds(blobs);
  const gate = Promise.withResolvers<ReadonlySet<string>>();
  const collection = holds.collect(() => gate.promise);
  await new Promise(setImmediate);
  const reference = { sha256, size: bytes.length };
  const held = holds.hold([reference]);
  gate.resolve(new Set());
  await assert.rejects(held, { code: "input_deleted" });
  assert.equal(await collection, 1);
  (await holds.hold([{ ...reference, bytes }]))();
  (await holds.hold([reference]))();
  assert.equal(await holds.collect(async () => new Set()), 1);
});

test("a blob of the underlying store counts as stored", async () => {
  const blobs = new MemoryBlobs({
    readBlob: async () => undefined,
    hasBlob: async (sha256) => sha256 === "a",
  });
  assert.deepEqual([await blobs.has("a"), await blobs.has("b")], [true, false]);
});
