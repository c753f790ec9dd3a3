import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import OpenAI, { toFile } from "openai";
import { CapstanError } from "@capstan/core";
import { openMemoryStore, type Store } from "@capstan/store";
import type { ServerLimits } from "../runs/request/run-limits.ts";
import { createTestApp, type TestApp } from "../testing/app-fixtures.ts";
import { ScriptedModel } from "@capstan/core/testing";

const apiKeys = [
  { name: "ann", key: "ann-key-ann-key" },
  { name: "bob", key: "bob-key-bob-key" },
];

interface Setup {
  readonly app: TestApp;
  readonly store: Store;
  readonly ann: OpenAI;
  readonly bob: OpenAI;
}

function setup(limits: Partial<ServerLimits> = {}): Setup {
  const store = openMemoryStore();
  const app = createTestApp({ model: new ScriptedModel(["ok"]), store, apiKeys, limits });
  const client = (apiKey: string) =>
    new OpenAI({
      apiKey,
      baseURL: "http://localhost/v1",
      maxRetries: 0,
      fetch: (url, init) => app.fetch(new Request(url, init)),
    });
  return { app, store, ann: client("ann-key-ann-key"), bob: client("bob-key-bob-key") };
}

const isStatus = (status: number, code?: string) => (error: unknown) => {
  assert.ok(error instanceof OpenAI.APIError, String(error));
  assert.equal(error.status, status, error.message);
  if (code !== undefined) assert.equal(error.code, code);
  return true;
};

test("the openai client creates, lists, reads and deletes files", async () => {
  const { ann } = setup();
  const bytes = randomBytes(300_000);
  const file = await ann.files.create({
    file: await toFile(bytes, "Ünïcode report.pdf"),
    purpose: "user_data",
    expires_after: { anchor: "created_at", seconds: 3_600 },
  });
  assert.match(file.id, /^file-[0-9a-z]{25}$/);
  assert.deepEqual(
    [file.object, file.bytes, file.filename, file.purpose],
    ["file", 300_000, "Ünïcode report.pdf", "user_data"],
  );
  assert.equal((file.expires_at ?? 0) - file.created_at, 3_600);
  assert.deepEqual(await ann.files.retrieve(file.id), file);
  const second = await ann.files.create({ file: await toFile(bytes, "b.txt"), purpose: "vision" });
  const ids = async (query?: OpenAI.Files.FileListParams) =>
    (await Array.fromAsync(await ann.files.list(query))).map(({ id }) => id);
  assert.deepEqual(await ids(), [second.id, file.id]);
  assert.deepEqual(await ids({ order: "asc", limit: 1 }), [file.id, second.id]);
  assert.deepEqual(await ids({ purpose: "vision" }), [second.id]);
  const content = await ann.files.content(file.id);
  assert.ok(Buffer.from(await content.arrayBuffer()).equals(bytes));
  assert.equal(content.headers.get("content-type"), "application/pdf");
  assert.equal(content.headers.get("x-content-type-options"), "nosniff");
  assert.match(content.headers.get("content-security-policy") ?? "", /sandbox/);
  assert.equal(
    content.headers.get("content-disposition"),
    `attachment; filename="_n_code report.pdf"; filename*=UTF-8''%C3%9Cn%C3%AFcode%20report.pdf`,
  );
  assert.deepEqual(await ann.files.delete(file.id), {
    id: file.id,
    object: "file",
    deleted: true,
  });
  await assert.rejects(ann.files.retrieve(file.id), isStatus(404, "file_not_found"));
  // Another file has the same bytes.
  assert.ok(Buffer.from(await (await ann.files.content(second.id)).arrayBuffer()).equals(bytes));
});

test("another user's file is answered as one that does not exist", async () => {
  const { ann, bob } = setup();
  const { id } = await ann.files.create({
    file: await toFile(Buffer.from("x"), "x.txt"),
    purpose: "user_data",
  });
  const messages: string[] = [];
  const keep = (error: unknown) => {
    messages.push((error as Error).message.replaceAll(id, "ID"));
    return isStatus(404, "file_not_found")(error);
  };
  for (const given of [id, "file-unknown"]) {
    messages.length = 0;
    await assert.rejects(bob.files.retrieve(given), keep);
    await assert.rejects(bob.files.content(given), keep);
    await assert.rejects(bob.files.delete(given), keep);
    assert.equal(new Set(messages.map((each) => each.replaceAll(given, "ID"))).size, 1);
    await assert.rejects(bob.files.list({ after: given }), isStatus(400));
  }
  assert.deepEqual((await bob.files.list()).data, []);
  assert.equal((await ann.files.retrieve(id)).id, id);
});

test("a range of a file is read, and a range after its end is rejected", async () => {
  const { app, ann } = setup();
  const { id } = await ann.files.create({
    file: await toFile(Buffer.from("0123456789"), "x.txt"),
    purpose: "user_data",
  });
  const get = (headers: Readonly<Record<string, string>>) =>
    app.fetch(
      new Request(`http://localhost/v1/files/${id}/content`, {
        headers: { authorization: "Bearer ann-key-ann-key", ...headers },
      }),
    );
  for (const [range, text, given] of [
    ["bytes=2-4", "234", "bytes 2-4/10"],
    ["bytes=7-", "789", "bytes 7-9/10"],
    ["bytes=-3", "789", "bytes 7-9/10"],
    ["bytes=0-99", "0123456789", "bytes 0-9/10"],
  ] as const) {
    const answer = await get({ range });
    assert.deepEqual(
      [answer.status, await answer.text(), answer.headers.get("content-range")],
      [206, text, given],
    );
  }
  for (const range of ["bytes=0-1,3-4", "lines=1-2", "bytes=5-2", "bytes=-"]) {
    const answer = await get({ range });
    assert.deepEqual([answer.status, await answer.text()], [200, "0123456789"]);
  }
  const after = await get({ range: "bytes=10-" });
  assert.deepEqual([after.status, after.headers.get("content-range")], [416, "bytes */10"]);
  const tag = (await get({})).headers.get("etag") ?? "";
  assert.equal((await get({ range: "bytes=0-0", "if-range": tag })).status, 206);
  assert.equal((await get({ range: "bytes=0-0", "if-range": '"other"' })).status, 200);
});

const boundary = "b0undary";
const part = (disposition: string, content: string, type = "text/plain") =>
  `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: ${type}\r\n\r\n${content}\r\n`;
const field = (name: string, value: string) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const end = `--${boundary}--\r\n`;
const purpose = field("purpose", "user_data");
const named = (filename: string, content = "text") =>
  part(`name="file"; filename="${filename}"`, content);

const forms: { readonly [what: string]: readonly [form: string, status: number, code: string] } = {
  "no purpose": [named("a.txt") + end, 400, "missing_required_parameter"],
  "unknown purpose": [named("a.txt") + field("purpose", "fun") + end, 400, "invalid_value"],
  "no file": [purpose + end, 400, "missing_required_parameter"],
  "a file without a name": [part('name="file"', "text") + purpose + end, 400, "invalid_value"],
  "an empty file": [named("a.txt", "") + purpose + end, 400, "empty_file"],
  "two files": [named("a.txt") + named("b.txt") + purpose + end, 400, "invalid_value"],
  "a file in another field": [
    part('name="image"; filename="a.txt"', "x") + purpose + end,
    400,
    "invalid_value",
  ],
  "an unknown field": [named("a.txt") + purpose + field("folder", "x") + end, 400, "invalid_value"],
  "a field twice": [named("a.txt") + purpose + purpose + end, 400, "invalid_value"],
  "a form cut short in the file": [purpose + named("a.txt").slice(0, -3), 400, "invalid_form"],
  "a form cut short after the file": [purpose + named("a.txt"), 400, "invalid_form"],
  "a form cut short in a header": [purpose + named("a.txt").slice(0, 60), 400, "invalid_form"],
  "a file that is too large": [
    named("a.txt", "x".repeat(1_001)) + purpose + end,
    413,
    "file_too_large",
  ],
  "a file that is far too large": [
    named("a.txt", "x".repeat(100_000)) + purpose + end,
    413,
    "file_too_large",
  ],
  "a path as the name": [named("../../etc/passwd") + purpose + end, 400, "invalid_value"],
  "a Windows path as the name": [named("..\\\\x.txt") + purpose + end, 400, "invalid_value"],
  "dots as the name": [named("..") + purpose + end, 400, "invalid_value"],
  "a name with a NUL": [named("a\u0000.txt") + purpose + end, 400, "invalid_form"],
  "a name with a control character": [named("a\u0007.txt") + purpose + end, 400, "invalid_form"],
  "a name that reads backwards": [named("a\u202Egpj.exe") + purpose + end, 400, "invalid_value"],
  "a name that is too long": [
    named(`${"a".repeat(300)}.txt`) + purpose + end,
    400,
    "invalid_value",
  ],
  "an expiry without an anchor": [
    named("a.txt") + purpose + field("expires_after[seconds]", "3600") + end,
    400,
    "missing_required_parameter",
  ],
  "an expiry that is too short": [
    named("a.txt") +
      purpose +
      field("expires_after[anchor]", "created_at") +
      field("expires_after[seconds]", "1") +
      end,
    400,
    "invalid_value",
  ],
  "not a form": ["hello", 400, "invalid_form"],
  nothing: ["", 400, "invalid_form"],
};

for (const [what, [form, status, code]] of Object.entries(forms))
  test(`an upload with ${what} is rejected and leaves nothing`, async () => {
    const { app, store } = setup({ fileBytes: 1_000 });
    const answer = await post(app, form);
    const body = (await answer.json()) as { error: { code: string; message: string } };
    assert.deepEqual([answer.status, body.error.code], [status, code], body.error.message);
    assert.deepEqual(await store.listFiles({ owner: "ann" }), { data: [], hasMore: false });
  });

function post(
  app: TestApp,
  body: string,
  headers: Readonly<Record<string, string>> = {},
  path = "/v1/files",
): Promise<Response> {
  const type = `multipart/form-data; boundary=${boundary}`;
  const shared = {
    host: "localhost",
    authorization: "Bearer ann-key-ann-key",
    "content-type": type,
  };
  return app.fetch(
    new Request(`http://localhost${path}`, {
      method: "POST",
      body,
      headers: { ...shared, ...headers },
    }),
  );
}

test("a response with a file counts as an open stream of its owner until it is read", async () => {
  const { app, ann } = setup({ streamsOfOne: 1 });
  const file = await toFile(Buffer.alloc(3_000_000, "x"), "x.txt");
  const { id } = await ann.files.create({ file, purpose: "user_data" });
  const get = (path: string, key?: string) =>
    app.fetch(
      new Request(new URL(path, "http://localhost"), {
        ...(key !== undefined && { headers: { authorization: `Bearer ${key}` } }),
      }),
    );
  const link = await app.fetch(
    new Request(`http://localhost/v1/files/${id}/link`, {
      method: "POST",
      headers: { authorization: "Bearer ann-key-ann-key" },
    }),
  );
  const { url } = (await link.json()) as { readonly url: string };
  const content = () => get(`/v1/files/${id}/content`, "ann-key-ann-key");
  for (const read of [content, () => get(url)]) {
    const first = await read();
    assert.equal(first.status, 200);
    assert.equal((await content()).status, 429);
    assert.equal((await get(url)).status, 429);
    await first.body?.cancel();
    await new Promise(setImmediate);
    assert.equal((await (await read()).arrayBuffer()).byteLength, 3_000_000);
  }
});

test("a foreign page cannot upload a form, and other routes accept none", async () => {
  const { app, store } = setup();
  const form = named("a.txt") + purpose + end;
  for (const headers of [
    { origin: "https://evil.example" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
  ]) {
    const answer = await post(app, form, headers);
    assert.equal(answer.status, 403);
  }
  for (const path of ["/v1/responses", "/v1/conversations", "/v1/uploads"])
    assert.equal((await post(app, form, {}, path)).status, 415);
  assert.equal((await post(app, form, { authorization: "Bearer wrong" })).status, 401);
  assert.equal((await post(app, form, { "idempotency-key": "k" })).status, 400);
  assert.equal((await post(app, form, { "content-type": "multipart/form-data" })).status, 400);
  assert.deepEqual((await store.listFiles({ owner: "ann" })).data, []);
  assert.equal((await post(app, form, { origin: "http://localhost" })).status, 200);
});

test("a user's quota limits the number and the bytes of files", async () => {
  const { ann, bob } = setup({ filesOfOne: 2, fileBytesOfOne: 10 });
  const create = async (client: OpenAI, text: string) =>
    client.files.create({ file: await toFile(Buffer.from(text), "x.txt"), purpose: "user_data" });
  const { id } = await create(ann, "12345678");
  await assert.rejects(create(ann, "123"), isStatus(413, "file_quota_exceeded"));
  await create(ann, "12");
  await create(bob, "12345678");
  await ann.files.delete(id);
  await create(ann, "1");
  await assert.rejects(create(ann, "1"), isStatus(413, "file_quota_exceeded"));
});

test("a quota of all users limits their files together, and the error names the limit", async () => {
  const { ann, bob } = setup({ filesOfAll: 3, fileBytesOfAll: 12 });
  const create = async (client: OpenAI, text: string) =>
    client.files.create({ file: await toFile(Buffer.from(text), "x.txt"), purpose: "user_data" });
  const { id } = await create(ann, "12345678");
  await assert.rejects(create(bob, "12345"), (error) => {
    assert.match(String(error), /limits\.fileBytesOfAll/);
    return isStatus(413, "file_quota_exceeded")(error);
  });
  await ann.files.delete(id);
  await create(bob, "12345");
});

test("the files of a conversation are listed, and a foreign conversation is a 404", async () => {
  const { ann, bob } = setup();
  const create = async (text: string) =>
    ann.files.create({ file: await toFile(Buffer.from(text), "x.txt"), purpose: "user_data" });
  const sent = await create("sent");
  await create("not sent");
  const conversation = await ann.conversations.create();
  await ann.responses.create({
    model: "test/scripted",
    conversation: conversation.id,
    input: [{ role: "user", content: [{ type: "input_file", file_id: sent.id }] }],
  });
  const list = (client: OpenAI, id: string) =>
    client.get(`/files?conversation=${id}`) as Promise<{
      readonly data: readonly { readonly id: string }[];
    }>;
  for (const id of [conversation.id, conversation.id.replace("conv_", "thread_")])
    assert.deepEqual(
      (await list(ann, id)).data.map((file) => file.id),
      [sent.id],
    );
  await assert.rejects(list(bob, conversation.id), isStatus(404));
});

test("the openai client uploads a file in parts, in the order of their ids", async () => {
  const { ann, bob } = setup();
  const text = "The quick brown fox.";
  const upload = await ann.uploads.create({
    filename: "fox.txt",
    purpose: "user_data",
    bytes: text.length,
    mime_type: "text/plain",
    expires_after: { anchor: "created_at", seconds: 7_200 },
  });
  assert.deepEqual([upload.object, upload.status, upload.file], ["upload", "pending", null]);
  assert.equal(upload.expires_at - upload.created_at, 3_600);
  const add = async (client: OpenAI, data: string) =>
    client.uploads.parts.create(upload.id, { data: await toFile(Buffer.from(data), "blob") });
  const last = await add(ann, text.slice(9));
  const first = await add(ann, text.slice(0, 9));
  assert.deepEqual([first.object, first.upload_id], ["upload.part", upload.id]);
  const ids = [first.id, last.id];
  const complete = (client: OpenAI, part_ids: string[], md5?: string) =>
    client.uploads.complete(upload.id, { part_ids, ...(md5 && { md5 }) });
  await assert.rejects(add(bob, "x"), isStatus(404, "upload_not_found"));
  await assert.rejects(complete(bob, ids), isStatus(404, "upload_not_found"));
  await assert.rejects(bob.uploads.cancel(upload.id), isStatus(404, "upload_not_found"));
  await assert.rejects(complete(ann, [first.id]), isStatus(400));
  await assert.rejects(complete(ann, [first.id, first.id]), isStatus(400));
  await assert.rejects(complete(ann, [first.id, "part_x"]), isStatus(400));
  const md5 = createHash("md5").update(text).digest("hex");
  await assert.rejects(complete(ann, ids.toReversed(), md5), isStatus(400));
  const { file, status } = await complete(ann, ids, md5);
  assert.ok(file != null);
  assert.deepEqual([status, file.bytes, file.filename], ["completed", text.length, "fox.txt"]);
  assert.equal((file.expires_at ?? 0) - file.created_at, 7_200);
  assert.equal(await (await ann.files.content(file.id)).text(), text);
  await assert.rejects(complete(ann, ids), isStatus(409));
  await assert.rejects(add(ann, "x"), isStatus(409));
  await assert.rejects(ann.uploads.cancel(upload.id), isStatus(409));
});

test("a cancelled upload has no file and takes no parts", async () => {
  const { ann, store } = setup();
  const given = { filename: "a.bin", purpose: "user_data", mime_type: "x/y" } as const;
  const { id } = await ann.uploads.create({ ...given, bytes: 1 });
  await ann.uploads.parts.create(id, { data: await toFile(Buffer.from("x"), "blob") });
  assert.equal((await ann.uploads.cancel(id)).status, "cancelled");
  assert.deepEqual(await store.readUploadParts({ owner: "ann", id }), []);
  await assert.rejects(
    ann.uploads.parts.create(id, { data: await toFile(Buffer.from("x"), "blob") }),
    isStatus(409),
  );
  for (const wrong of [
    { ...given, bytes: 0 },
    { ...given, bytes: 1e15 },
    { ...given, bytes: 1, filename: "../x" },
    { ...given, bytes: 1, purpose: "fun" as "vision" },
  ])
    await assert.rejects(ann.uploads.create(wrong), isStatus(400));
});

// Contract: files-10
test("a file storage that does not respond is a 503, and the file does not exist", async () => {
  const store = openMemoryStore();
  const failing = Object.assign(Object.create(store) as Store, {
    writeWithBlob: async () => {
      throw new CapstanError({ code: "files_unreachable", message: "s3://secret failed" });
    },
  });
  const app = createTestApp({ model: new ScriptedModel([]), store: failing });
  const form = new FormData();
  form.set("purpose", "user_data");
  form.set("file", new File(["x"], "a.txt"));
  const request = new Request("http://127.0.0.1/v1/files", { method: "POST", body: form });
  const response = await app.fetch(request);
  assert.equal(response.status, 503);
  assert.equal(response.headers.get("retry-after"), "5");
  const text = await response.text();
  assert.match(text, /files_unreachable/);
  assert.doesNotMatch(text, /secret/);
  assert.deepEqual(await store.listFiles({ owner: "local" }), { data: [], hasMore: false });
});
