import assert from "node:assert/strict";
import { test } from "node:test";
import OpenAI from "openai";
import { ScriptedModel } from "@capstan/core/testing";
import { newId } from "@capstan/core/host";
import { openMemoryStore, type Store } from "@capstan/store";
import type { Embedder } from "../search/embed-texts.ts";
import { smallVector } from "../search/vector-code.ts";
import { createTestApp, requestTo } from "../testing/app-fixtures.ts";

async function addFile(store: Store, text: string | Uint8Array, owner = "local"): Promise<string> {
  const id = newId("file-");
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  async function* pieces() {
    yield bytes;
  }
  const blob = await store.receiveBlob(pieces());
  await store.writeWithBlob(blob, {
    type: "create-file",
    file: {
      id,
      owner,
      name: `${id}.txt`,
      mimeType: "text/plain",
      purpose: "assistants",
      source: "upload",
    },
    blob: { sha256: blob.sha256, size: blob.size },
  });
  return id;
}

function setUp({ embedder }: { readonly embedder?: Embedder } = {}) {
  const store = openMemoryStore();
  const app = createTestApp({
    model: new ScriptedModel([]),
    store,
    ...(embedder && { embedder }),
  });
  const client = new OpenAI({
    apiKey: "x",
    baseURL: "http://127.0.0.1/v1",
    maxRetries: 0,
    fetch: async (url, init) => app.fetch(new Request(url, init)),
  });
  const { vectorStores } = client;
  return { store, app, client, vectorStores };
}

const quick = { pollIntervalMs: 2 };

test("the client of OpenAI creates, fills, searches and deletes a vector store", async () => {
  const { store, vectorStores } = setUp();
  const [a, b] = [await addFile(store, "tides and moons"), await addFile(store, "bread\n\nyeast")];
  const made = await vectorStores.create({
    name: "docs",
    metadata: { team: "x" },
    expires_after: { anchor: "last_active_at", days: 7 },
  });
  assert.equal(made.object, "vector_store");
  assert.deepEqual(made.file_counts, {
    in_progress: 0,
    completed: 0,
    failed: 0,
    cancelled: 0,
    total: 0,
  });
  assert.equal(made.expires_at, made.last_active_at! + 7 * 86_400);
  const file = await vectorStores.files.createAndPoll(
    made.id,
    { file_id: a, attributes: { year: 2020, tag: "sea" } },
    quick,
  );
  assert.equal(file.status, "completed");
  const batch = await vectorStores.fileBatches.createAndPoll(
    made.id,
    {
      file_ids: [b],
      chunking_strategy: {
        type: "static",
        static: { max_chunk_size_tokens: 200, chunk_overlap_tokens: 50 },
      },
    },
    quick,
  );
  assert.equal(batch.status, "completed");
  assert.deepEqual(batch.file_counts, {
    in_progress: 0,
    completed: 1,
    failed: 0,
    cancelled: 0,
    total: 1,
  });
  const found = await vectorStores.search(made.id, { query: "yeast" });
  assert.deepEqual(
    found.data.map(({ file_id, filename, score, content }) => [file_id, filename, score, content]),
    [[b, `${b}.txt`, 1, [{ type: "text", text: "yeast" }]]],
  );
  const filtered = await vectorStores.search(made.id, {
    query: ["tides yeast", "moons"],
    filters: {
      type: "and",
      filters: [
        { type: "gte", key: "year", value: 2020 },
        { type: "in", key: "tag", value: ["sea"] },
      ],
    },
  });
  assert.deepEqual(
    filtered.data.map(({ file_id, attributes }) => [file_id, attributes]),
    [[a, { year: 2020, tag: "sea" }]],
  );
  await vectorStores.files.update(a, { vector_store_id: made.id, attributes: { year: 1999 } });
  const none = await vectorStores.search(made.id, {
    query: "tides",
    filters: { type: "eq", key: "year", value: 2020 },
  });
  assert.deepEqual(none.data, []);
  const unsure = await vectorStores.search(made.id, {
    query: "tides nothing else here",
    ranking_options: { score_threshold: 0.9 },
  });
  assert.deepEqual(unsure.data, []);
  const names: string[] = [];
  for await (const each of vectorStores.files.list(made.id, { limit: 1, order: "asc" }))
    names.push(each.id);
  assert.deepEqual(names, [a, b]);
  const content: string[] = [];
  for await (const part of vectorStores.files.content(b, { vector_store_id: made.id }))
    content.push(part.text ?? "");
  assert.deepEqual(content, ["bread", "yeast"]);
  const changed = await vectorStores.update(made.id, { name: "new", expires_after: null });
  assert.deepEqual(
    [changed.name, changed.expires_at, changed.metadata],
    ["new", null, { team: "x" }],
  );
  await vectorStores.files.delete(a, { vector_store_id: made.id });
  const after = await vectorStores.retrieve(made.id);
  assert.equal(after.file_counts.total, 1);
  assert.ok(after.usage_bytes > 0);
  assert.equal((await vectorStores.delete(made.id)).deleted, true);
  await assert.rejects(vectorStores.retrieve(made.id), { status: 404 });
  assert.notEqual(await store.getFile({ owner: "local", id: b }), undefined, "files remain");
});

test("files that cannot be indexed fail with the reason", async () => {
  const { store, vectorStores } = setUp();
  const made = await vectorStores.create({});
  for (const bytes of [new Uint8Array(), new Uint8Array([0, 1, 2])]) {
    const id = await addFile(store, bytes);
    const file = await vectorStores.files.createAndPoll(made.id, { file_id: id }, quick);
    assert.equal(file.status, "failed");
    assert.equal(file.last_error?.code, "invalid_file");
    assert.match(file.last_error?.message ?? "", /cannot be indexed/);
  }
});

test("another user's stores and files do not exist", async () => {
  const { store, app } = setUp();
  const foreign = await addFile(store, "secret", "someone");
  await store.write([
    { type: "save-vector-store", owner: "someone", id: "vs_theirs", data: {}, isNew: true },
  ]);
  const own = await app.call("POST", "/v1/vector_stores", {});
  for (const [method, path, body] of [
    ["GET", "/v1/vector_stores/vs_theirs", undefined],
    ["POST", "/v1/vector_stores/vs_theirs", { name: "x" }],
    ["POST", "/v1/vector_stores/vs_theirs/search", { query: "secret" }],
    ["POST", "/v1/vector_stores/vs_theirs/files", { file_id: foreign }],
    ["DELETE", "/v1/vector_stores/vs_theirs", undefined],
    ["POST", `/v1/vector_stores/${own.body.id}/files`, { file_id: foreign }],
    ["POST", `/v1/vector_stores/${own.body.id}/file_batches`, { file_ids: [foreign] }],
    ["POST", "/v1/vector_stores", { file_ids: [foreign] }],
  ] as const) {
    const { status } = await app.call(method, path, body);
    assert.equal(status, 404, `${method} ${path}`);
  }
  const { body } = await app.call("GET", "/v1/vector_stores");
  assert.deepEqual(
    body.data.map(({ id }) => id),
    [own.body.id],
    "a request with an unknown file creates no store",
  );
});

for (const [what, path, body, param] of [
  ["an unknown field", "", { nme: "x" }, "nme"],
  [
    "17 members of metadata",
    "",
    { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, n) => [`k${n}`, "v"])) },
    "metadata",
  ],
  [
    "366 days",
    "",
    { expires_after: { anchor: "last_active_at", days: 366 } },
    "expires_after.days",
  ],
  ["an empty query", "/search", { query: " " }, "query"],
  ["51 results", "/search", { query: "x", max_num_results: 51 }, "max_num_results"],
  [
    "an unknown filter",
    "/search",
    { query: "x", filters: { type: "like", key: "a", value: "b" } },
    "filters.type",
  ],
  [
    "a threshold over 1",
    "/search",
    { query: "x", ranking_options: { score_threshold: 2 } },
    "ranking_options.score_threshold",
  ],
  [
    "parts of 99 tokens",
    "/files",
    {
      file_id: "f",
      chunking_strategy: {
        type: "static",
        static: { max_chunk_size_tokens: 99, chunk_overlap_tokens: 0 },
      },
    },
    "chunking_strategy.static.max_chunk_size_tokens",
  ],
  [
    "too much overlap",
    "/files",
    {
      file_id: "f",
      chunking_strategy: {
        type: "static",
        static: { max_chunk_size_tokens: 100, chunk_overlap_tokens: 51 },
      },
    },
    "chunking_strategy.static.chunk_overlap_tokens",
  ],
  ["neither ids nor files", "/file_batches", {}, "file_ids"],
] as const)
  test(`${what} is rejected with the field's name`, async () => {
    const { app } = setUp();
    const made = await app.call("POST", "/v1/vector_stores", {});
    const at = path === "" ? "/v1/vector_stores" : `/v1/vector_stores/${made.body.id}${path}`;
    const { status, body: answer } = await app.call("POST", at, body);
    assert.equal(status, 400);
    assert.equal(answer.error?.param, param);
  });

test("full-text query operators are plain text, and long queries are searched", async () => {
  const { store, vectorStores } = setUp();
  const id = await addFile(store, "near the sea");
  const made = await vectorStores.create({ file_ids: [id] });
  await vectorStores.files.poll(made.id, id, quick);
  for (const query of [
    '"near"',
    "NEAR(sea, 2)",
    "sea*",
    "words:sea",
    "sea OR",
    "(((sea",
    "near ".repeat(2_000),
  ]) {
    const { data } = await vectorStores.search(made.id, { query });
    assert.equal(data.length, 1, query);
  }
});

test("vectors find texts without a common word, and if the model fails, words are searched", async () => {
  const state = { fails: false };
  const embedder: Embedder = {
    model: "p/m",
    async embed(texts) {
      if (state.fails) throw new Error("down");
      return texts.map((text) => smallVector(/car|automobile/.test(text) ? [1, 0.1] : [0.1, 1]));
    },
  };
  const { store, vectorStores } = setUp({ embedder });
  const id = await addFile(store, "automobile\n\nbanana");
  const made = await vectorStores.create({ file_ids: [id] });
  await vectorStores.files.poll(made.id, id, quick);
  const near = await vectorStores.search(made.id, { query: "car", max_num_results: 1 });
  assert.deepEqual(near.data[0]?.content[0]?.text, "automobile");
  assert.ok((near.data[0]?.score ?? 0) > 0.9);
  state.fails = true;
  assert.deepEqual((await vectorStores.search(made.id, { query: "car" })).data, []);
  assert.equal((await vectorStores.search(made.id, { query: "banana" })).data.length, 1);
});

test("an expired store says so, and a deleted file is not found any more", async () => {
  const { store, vectorStores, client } = setUp();
  const id = await addFile(store, "gone");
  const made = await vectorStores.create({ file_ids: [id] });
  await vectorStores.files.poll(made.id, id, quick);
  await client.files.delete(id);
  assert.deepEqual((await vectorStores.search(made.id, { query: "gone" })).data, []);
  assert.equal((await vectorStores.retrieve(made.id)).file_counts.total, 0);
  await store.write([
    {
      type: "save-vector-store",
      owner: "local",
      id: made.id,
      isNew: false,
      data: { days: 1, lastActiveAt: Date.now() - 2 * 86_400_000 },
    },
  ]);
  assert.equal((await vectorStores.retrieve(made.id)).status, "expired");
  await assert.rejects(vectorStores.search(made.id, { query: "gone" }), {
    status: 400,
    code: "vector_store_expired",
  });
});

test("a change does not revive an expired store", async () => {
  const { store, app, vectorStores } = setUp();
  const made = await vectorStores.create({ name: "old" });
  const data = { days: 1, lastActiveAt: Date.now() - 2 * 86_400_000 };
  await store.write([
    { type: "save-vector-store", owner: "local", id: made.id, isNew: false, data },
  ]);
  const path = `/v1/vector_stores/${made.id}`;
  const { status, body } = await app.call("POST", path, { name: "new" });
  assert.deepEqual([status, body.error?.code], [400, "vector_store_expired"]);
  assert.equal((await vectorStores.retrieve(made.id)).status, "expired");
});

test("a search does not undo a change that was made meanwhile", async () => {
  const { store, app, vectorStores } = setUp();
  const made = await vectorStores.create({ name: "old" });
  await store.write([
    {
      type: "save-vector-store",
      owner: "local",
      id: made.id,
      isNew: false,
      data: { lastActiveAt: 0 },
    },
  ]);
  const service = app.services.vectorStores;
  const found = await service.find("local", made.id);
  assert.ok(typeof found === "object");
  await vectorStores.update(made.id, { name: "new" });
  const { signal } = new AbortController();
  await service.search({ owner: "local", stores: [found], queries: ["x"], limit: 1, signal });
  assert.equal((await vectorStores.retrieve(made.id)).name, "new");
});

test("a cursor of another list is rejected", async () => {
  const { store, app, vectorStores } = setUp();
  const [a, b] = [await addFile(store, "one"), await addFile(store, "two")];
  const made = await vectorStores.create({});
  const of = async (id: string) =>
    (await vectorStores.fileBatches.create(made.id, { file_ids: [id] })).id;
  const [first, second] = [await of(a), await of(b)];
  const path = `/v1/vector_stores/${made.id}`;
  for (const list of [
    `/v1/vector_stores?after=${first}`,
    `/v1/vector_stores?before=${made.id}/${a}`,
    `${path}/file_batches/${first}/files?after=${b}`,
    `${path}/file_batches/${second}/files?before=${a}`,
  ])
    assert.equal((await app.call("GET", list)).status, 400, list);
  const own = await app.call("GET", `${path}/file_batches/${first}/files?after=${a}`);
  assert.equal(own.status, 200);
});

test("files that a process left unindexed are indexed when the next one starts", async () => {
  const { store, app } = setUp();
  const id = await addFile(store, "left behind");
  await store.write([
    {
      type: "save-vector-store",
      owner: "local",
      id: "vs_1",
      isNew: true,
      data: { name: null, description: null, metadata: {}, days: null, lastActiveAt: Date.now() },
    },
    {
      type: "add-store-files",
      owner: "local",
      storeId: "vs_1",
      files: [
        {
          fileId: id,
          data: {
            attributes: {},
            chunking: { maxTokens: 800, overlapTokens: 400 },
            error: null,
            embedding: null,
          },
        },
      ],
    },
  ]);
  app.services.vectorStores.wake();
  await app.services.vectorStores.idle();
  const response = await app.fetch(
    requestTo("GET", "/v1/vector_stores/vs_1/files?filter=completed"),
  );
  const { data } = (await response.json()) as { readonly data: readonly { readonly id: string }[] };
  assert.deepEqual(
    data.map((each) => each.id),
    [id],
  );
});
