import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, request, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import S3rver from "s3rver";
import { systemClock } from "@capstan/core/base";
import { openStore } from "../sqlite/open-store.ts";
import { connectS3 } from "./s3-connection.ts";
import { S3Blobs } from "./s3-blobs.ts";

// The test server checks signatures with these credentials.
process.env["AWS_ACCESS_KEY_ID"] = "S3RVER";
process.env["AWS_SECRET_ACCESS_KEY"] = "S3RVER";

const bucket = "capstan-files";
let folder: string;
let server: S3rver;
let proxy: Server;
let endpoint: string;
/** Handles a request in place of the server, and returns whether it did. */
let fault: ((method: string, response: ServerResponse) => boolean) | undefined;
/** Waits before a request is passed to the server. */
let pause: ((method: string, url: string) => Promise<void>) | undefined;
let requests: string[] = [];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "capstan-s3-"));
  server = new S3rver({
    port: 0,
    address: "127.0.0.1",
    silent: true,
    directory: folder,
    configureBuckets: [{ name: bucket, configs: [] }],
  });
  const { port } = await server.run();
  proxy = createServer((incoming, response) => {
    const { method = "", url = "", headers } = incoming;
    requests.push(`${method} ${url.split("?")[0]}`);
    if (fault?.(method, response) === true) return void incoming.resume();
    const pass = () => {
      const outgoing = request(
        { agent: false, host: "127.0.0.1", port, method, path: url, headers },
        (answer) => {
          response.writeHead(answer.statusCode ?? 500, answer.headers);
          answer.pipe(response);
        },
      );
      outgoing.on("error", () => response.destroy());
      incoming.pipe(outgoing);
    };
    if (pause === undefined) pass();
    else void pause(method, url).then(pass);
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  endpoint = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
});

after(async () => {
  for (const blobs of opened) await blobs.close();
  proxy.closeAllConnections();
  proxy.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

beforeEach(() => {
  fault = undefined;
  pause = undefined;
  requests = [];
});

const opened: S3Blobs[] = [];
const open = async (prefix: string, clock?: { now: () => number }) => {
  const blobs = await S3Blobs.open({ bucket, endpoint, prefix }, clock);
  opened.push(blobs);
  return blobs;
};
const later = () => Date.now() + 2 * 60 * 60 * 1_000;
const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += 70_000) yield bytes.subarray(from, from + 70_000);
}
const all = async (pieces: AsyncIterable<Uint8Array> | undefined) =>
  pieces && Buffer.concat(await Array.fromAsync(pieces));

// Contract: files-9
test("blobs are stored once, read whole and in ranges, listed and deleted by all nodes", async () => {
  const [one, other] = [await open("shared/"), await open("shared/")];
  const bytes = randomBytes(1_500_000);
  const received = await one.receive(inPieces(bytes));
  assert.equal(await other.has(received.sha256), false);
  await received.keep();
  await received.discard();
  const { sha256 } = received;
  assert.equal(sha256, hashOf(bytes));
  assert.ok((await all(await other.stream(sha256)))?.equals(bytes));
  assert.ok(Buffer.from((await other.get(sha256)) ?? []).equals(bytes));
  for (const [from, to] of [
    [0, 3],
    [700_000, 1_400_001],
    [5, 5],
  ] as const) {
    const part = await all(await other.stream(sha256, { from, to }));
    assert.ok(part?.equals(bytes.subarray(from, to)), `${from} to ${to}: ${part?.length}`);
  }
  requests = [];
  await other.put({ sha256, bytes });
  assert.ok(!requests.some((line) => line.startsWith("PUT")), requests.join("\n"));
  assert.deepEqual(await Array.fromAsync(other.list()), [sha256]);
  assert.deepEqual(await Array.fromAsync((await open("elsewhere/")).list()), []);
  assert.equal(await other.get(hashOf(Buffer.from("unknown"))), undefined);
  // It was used within the last hour.
  await one.delete(sha256);
  assert.equal(await other.has(sha256), true);
});

// Contract: files-9
test("an unused blob is deleted, and a node that uses it meanwhile keeps it", async () => {
  const bytes = Buffer.from("unused");
  const sha256 = hashOf(bytes);
  const blobs = await open("old/");
  await blobs.put({ sha256, bytes });
  await (await open("old/", { now: later })).delete(sha256);
  assert.equal(await blobs.has(sha256), false);
  assert.deepEqual(await Array.fromAsync(blobs.list()), []);

  await blobs.put({ sha256, bytes });
  // While another node marks it, a node that uses it waits, and then stores it again.
  const { client, library } = await connectS3({ bucket, endpoint });

  const mark = { Bucket: bucket, Key: `old/deleting/${sha256}` };
  await client.send(new library.PutObjectCommand({ ...mark, Body: "", ContentLength: 0 }));
  const using = blobs.put({ sha256, bytes });
  const object = { Bucket: bucket, Key: `old/${sha256.slice(0, 2)}/${sha256.slice(2)}` };
  await client.send(new library.DeleteObjectCommand(object));
  await client.send(new library.DeleteObjectCommand(mark));
  await using;
  client.destroy();
  assert.ok(Buffer.from((await blobs.get(sha256)) ?? []).equals(bytes));
});

// Contract: files-9
test("a blob that two nodes delete while a third one stores it again stays", async () => {
  const bytes = Buffer.from("collected twice");
  const sha256 = hashOf(bytes);
  const writer = await open("two/");
  await writer.put({ sha256, bytes });
  // Each node is paused right before it deletes the blob, after it has marked and checked it.
  const stops = ["one", "other"].map(() => ({
    reached: Promise.withResolvers<void>(),
    go: Promise.withResolvers<void>(),
  }));
  let deletions = 0;
  pause = async (method, url) => {
    if (method !== "DELETE" || url.includes("deleting")) return;
    const stop = stops[deletions++];
    stop?.reached.resolve();
    await stop?.go.promise;
  };
  const deleting: Promise<void>[] = [];
  for (const { reached } of stops) {
    deleting.push((await open("two/", { now: later })).delete(sha256));
    await reached.promise;
  }
  const storing = writer.put({ sha256, bytes });
  stops[0]?.go.resolve();
  await deleting[0];
  // The first node has finished, and the writer still waits for the other one.
  requests = [];
  await listsOfMarks(2);
  stops[1]?.go.resolve();
  await Promise.all([...deleting, storing]);
  assert.ok(Buffer.from((await writer.get(sha256)) ?? []).equals(bytes));
});

/** Waits until a node has looked for marks this many times. */
async function listsOfMarks(count: number): Promise<void> {
  const isList = (line: string) => line.startsWith("GET") && !line.includes("two/");
  while (requests.filter(isList).length < count)
    await new Promise((resolve) => setTimeout(resolve, 10));
}

// Contract: files-9
test("marks of crashed nodes are ignored, and deleted with the next listing", async () => {
  const blobs = await open("crashed/");
  const bytes = Buffer.from("marked");
  const sha256 = hashOf(bytes);
  await blobs.put({ sha256, bytes });
  const { client, library } = await connectS3({ bucket, endpoint });
  const mark = { Bucket: bucket, Key: `crashed/deleting/${sha256}/gone` };
  await client.send(new library.PutObjectCommand({ ...mark, Body: "", ContentLength: 0 }));
  const node = await open("crashed/", { now: later });
  assert.equal(await node.has(sha256), true);
  assert.deepEqual(await Array.fromAsync(node.list()), [sha256]);
  await assert.rejects(client.send(new library.HeadObjectCommand(mark)), { name: "NotFound" });
  client.destroy();
});

// Contract: files-10
test("a storage that fails for a moment is asked again; one that stays down is a clear error", async () => {
  const blobs = await open("faults/");
  const bytes = randomBytes(200_000);
  let failures = 2;
  fault = (method, response) => {
    if (method !== "PUT" || failures-- <= 0) return false;
    response.writeHead(500).end();
    return true;
  };
  const received = await blobs.receive(inPieces(bytes));
  await received.keep();
  await received.discard();
  assert.ok(Buffer.from((await blobs.get(received.sha256)) ?? []).equals(bytes));

  fault = (_method, response) => (response.writeHead(503).end(), true);
  await assert.rejects(blobs.put({ sha256: hashOf(Buffer.from("x")), bytes: Buffer.from("x") }), {
    code: "files_unreachable",
  });
  await assert.rejects(blobs.get(received.sha256), { code: "files_unreachable" });
  fault = (_method, response) => (response.writeHead(403).end(), true);
  await assert.rejects(blobs.get(received.sha256), { code: "files_rejected" });
});

// Contract: files-10
test("an upload that is cut off leaves no object, and a body that is cut short is an error", async () => {
  const blobs = await open("cut/");
  const bytes = randomBytes(300_000);
  const sha256 = hashOf(bytes);
  fault = (method, response) => method === "PUT" && (response.destroy(), true);
  await assert.rejects(blobs.put({ sha256, bytes }), { code: "files_unreachable" });
  fault = undefined;
  assert.deepEqual(await Array.fromAsync(blobs.list()), []);
  await blobs.put({ sha256, bytes });
  fault = (method, response) => {
    if (method !== "GET") return false;
    response.writeHead(200, { "Content-Length": bytes.length, ETag: '"x"' });
    response.write(bytes.subarray(0, 1_000), () => response.destroy());
    return true;
  };
  await assert.rejects(blobs.get(sha256), { code: "files_unreachable" });
  // A body of the right length with other bytes.
  fault = (method, response) =>
    method === "GET" && (response.end(Buffer.alloc(bytes.length)), true);
  await assert.rejects(blobs.get(sha256), { code: "files_unreachable" });
});

// Contract: files-9
test("a store keeps files in the bucket, reads earlier ones from disk, and collects both", async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-s3-"));
  t.after(() => rm(dataDir, { recursive: true }));
  const files = { bucket, endpoint, prefix: "store/" };
  const create = async (store: Awaited<ReturnType<typeof openStore>>, id: string, text: string) => {
    const blob = await store.receiveBlob(inPieces(Buffer.from(text)));
    const { sha256, size } = blob;
    await store.writeWithBlob(blob, {
      type: "create-file",
      file: { id, owner: "ann", name: id, mimeType: "text/plain", purpose: "x", source: "upload" },
      blob: { sha256, size },
    });
    await blob.discard();
    return sha256;
  };
  const before = await openStore({ dataDir });
  const first = await create(before, "file-1", "on disk");
  await before.close();
  const clock = { ...systemClock };
  const store = await openStore({ dataDir, files, clock });
  const second = await create(store, "file-2", "in the bucket");
  assert.equal(String(await all(await store.streamBlob(first))), "on disk");
  assert.equal(String(await all(await store.streamBlob(second))), "in the bucket");
  await create(store, "file-3", "on disk");
  const blobs = await open("store/");
  assert.deepEqual(await Array.fromAsync(blobs.list()), [second]);
  clock.now = later;
  await store.write([{ type: "delete-file", owner: "ann", id: "file-2" }]);
  await store.collectBlobs();
  assert.deepEqual(await Array.fromAsync(blobs.list()), []);
  assert.equal(String(await all(await store.streamBlob(first))), "on disk");
  await store.close();
});
