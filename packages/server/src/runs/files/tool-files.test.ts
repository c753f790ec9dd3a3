import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { contentParts, type Message } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import { openMemoryStore, openStore } from "@capstan/store";
import { createTestApp, requestTo, toyTools } from "../../testing/app-fixtures.ts";
import { type createRuns, tool } from "../../testing/run-fixtures.ts";
import { safeFileName } from "./file-name.ts";

const png = Buffer.from("89504e470d0a1a0a", "hex").toString("base64");
const pdf = Buffer.from("%PDF-1.7 report").toString("base64");

const draw = tool("Draw", () =>
  contentParts([
    { type: "image", mimeType: "image/png", source: { type: "base64", data: png } },
    {
      type: "file",
      name: "../report\u202e.pdf",
      mimeType: "application/pdf\r\nX-Evil: 1",
      source: { type: "base64", data: pdf },
    },
  ]),
);

const drawThenSay = [{ calls: [{ name: "Draw" }] }, "Done."];
const ask = { model: "scripted", input: "Draw", tools: toyTools };

interface Item {
  readonly type: string;
  readonly result?: string | null;
}

const imagesOf = (output: readonly Item[]) =>
  output.flatMap(({ type, result }) => (type === "image_generation_call" ? [result] : []));

// Contract: files-1
test("images and files of a tool are stored files, and journal and events have no Base64", async () => {
  const store = openMemoryStore();
  const model = new ScriptedModel(drawThenSay);
  const apiKeys = [
    { name: "ann", key: "ann-key-ann-key", rights: ["ask", "approve"] as const },
    { name: "bob", key: "bob-key-bob-key" },
  ];
  const app = createTestApp({ model, tools: [draw], store, apiKeys });
  const get = (path: string, key = "ann-key-ann-key") =>
    app.fetch(
      new Request(`http://127.0.0.1${path}`, { headers: { Authorization: `Bearer ${key}` } }),
    );
  const request = requestTo("POST", "/v1/responses", ask);
  request.headers.set("Authorization", "Bearer ann-key-ann-key");
  const response = (await (await app.fetch(request)).json()) as {
    readonly id: string;
    readonly output: readonly Item[];
  };
  // Only tools that are bound to the type have items of it.
  assert.deepEqual(imagesOf(response.output), []);
  assert.deepEqual(await (await get(`/v1/responses/${response.id}`)).json(), response);

  const events = await store.readEventsCompact({ owner: "ann", runId: response.id });
  assert.doesNotMatch(JSON.stringify(events), new RegExp(`${png}|${pdf}`));
  const listed = (await (await get("/v1/files")).json()) as {
    readonly data: readonly { readonly id: string; readonly filename: string }[];
  };
  assert.deepEqual(listed.data.map(({ filename }) => filename).toSorted(), [
    ".._report_.pdf",
    "Draw-1.png",
  ]);
  for (const { id, filename } of listed.data) {
    assert.match(JSON.stringify(events), new RegExp(id));
    const content = await get(`/v1/files/${id}/content`);
    assert.equal(content.headers.get("x-evil"), null);
    const bytes = Buffer.from(await content.arrayBuffer()).toString("base64");
    assert.equal(bytes, filename === "Draw-1.png" ? png : pdf);
    assert.equal((await get(`/v1/files/${id}`, "bob-key-bob-key")).status, 404);
  }
  // The model gets the bytes.
  const [, second] = model.requests;
  const result = second?.messages.at(-1) as Extract<Message, { role: "tool" }>;
  assert.deepEqual(
    result.parts?.map((part) => "source" in part && part.source),
    [
      { type: "base64", data: png },
      { type: "base64", data: pdf },
    ],
  );
  // The file is deleted with its run; without its bytes, the response still has its items.
  await store.write([{ type: "delete-file", owner: "ann", id: listed.data[0]?.id ?? "" }]);
  await store.write([{ type: "delete-file", owner: "ann", id: listed.data[1]?.id ?? "" }]);
  await store.collectBlobs();
  const later = (await (await get(`/v1/responses/${response.id}`)).json()) as typeof response;
  assert.deepEqual(imagesOf(later.output), []);
  assert.equal(later.output.length, response.output.length);
});

// Contract: files-2
test("with store: false, bytes travel inline and nothing is left on disk", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-test-"));
  const store = await openStore({ dataDir });
  try {
    const model = new ScriptedModel(drawThenSay);
    const memory = openMemoryStore();
    const app = createTestApp({ model, tools: [draw], store, memory });
    const { body } = await app.call("POST", "/v1/responses", { ...ask, store: false });
    assert.deepEqual(imagesOf(body.output), [png]);
    assert.deepEqual(await memory.listFiles({ owner: "local" }), { data: [], hasMore: false });
    assert.deepEqual(await store.listFiles({ owner: "local" }), { data: [], hasMore: false });
    const blobs = await readdir(join(dataDir, "blobs"), { recursive: true }).catch(() => []);
    assert.deepEqual(blobs, []);
  } finally {
    await store.close();
    await rm(dataDir, { recursive: true });
  }
});

// Contract: files-3
test("a file over the user's quota becomes a text, and the run continues", async () => {
  const store = openMemoryStore();
  const model = new ScriptedModel(drawThenSay);
  const app = createTestApp({ model, tools: [draw], store, limits: { filesOfOne: 1 } });
  const { body } = await app.call("POST", "/v1/responses", ask);
  assert.equal(body.status, "completed");
  const { data } = await store.listFiles({ owner: "local" });
  assert.equal(data.length, 1);
  assert.match(
    JSON.stringify(model.requests[1]?.messages),
    /file-\w+ was not stored: You have 1 files, which is the limit/,
  );
});

// Contract: files-15
test("the store's error is in the log, and not in the result", async (t) => {
  const store = openMemoryStore();
  t.mock.method(store, "receiveBlob", async () => {
    throw new Error("arn:aws:s3:::secret-bucket: denied");
  });
  const model = new ScriptedModel(drawThenSay);
  const app = createTestApp({ model, tools: [draw], store });
  const { body } = await app.call("POST", "/v1/responses", ask);
  assert.equal(body.status, "completed");
  const sent = JSON.stringify(model.requests[1]?.messages);
  assert.match(sent, /file-\w+ was not stored: the server could not store it/);
  const events = await store.readEventsCompact({ owner: "local", runId: body.id });
  assert.doesNotMatch(sent + JSON.stringify([body, events]), /secret-bucket/);
  const { lines } = app.services.runs as ReturnType<typeof createRuns>;
  assert.match(lines.join("\n"), /file-\w+ could not be stored: arn:aws:s3:::secret-bucket/);
});

test("names of tools' files are made safe", () => {
  assert.equal(safeFileName("Plot-1", "image/png"), "Plot-1.png");
  assert.equal(safeFileName("../a\\b\u0000.txt", "text/plain"), ".._a_b_.txt");
  assert.equal(safeFileName("", "application/x-unknown"), "file");
  assert.equal(safeFileName("..", "text/plain"), "file_.txt");
  assert.equal(safeFileName("é".repeat(300) + ".pdf", "application/pdf").endsWith("é.pdf"), true);
  assert.ok(Buffer.byteLength(safeFileName("é".repeat(300) + ".pdf", "application/pdf")) <= 255);
  assert.equal(safeFileName("\ud800x.md", "text/markdown"), "\ufffdx.md");
});
