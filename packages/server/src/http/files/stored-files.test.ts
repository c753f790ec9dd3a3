import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContentPart } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import OpenAI, { toFile } from "openai";
import type { ResponseInputItem } from "openai/resources/responses/responses";
import { openMemoryStore } from "@capstan/store";
import { createTestApp } from "../../testing/app-fixtures.ts";

function setup(answers: number) {
  const model = new ScriptedModel(Array.from({ length: answers }, (_, n) => `answer ${n}`));
  const store = openMemoryStore();
  const memory = openMemoryStore({ behind: store });
  const apiKeys = [
    { name: "ann", key: "ann-key-ann-key" },
    { name: "bob", key: "bob-key-bob-key" },
  ];
  const app = createTestApp({ model, store, memory, apiKeys });
  const client = (apiKey: string) =>
    new OpenAI({
      apiKey,
      baseURL: "http://localhost/v1",
      maxRetries: 0,
      fetch: (url, init) => app.fetch(new Request(url, init)),
    });
  /** The images and files of the model's last request, with their content as text. */
  const seen = () =>
    (model.requests.at(-1)?.messages ?? []).flatMap((message) => {
      const { content } = message;
      return typeof content === "string" ? [] : content.flatMap(contentOf);
    });
  return { store, memory, ann: client("ann-key-ann-key"), bob: client("bob-key-bob-key"), seen };
}

function contentOf(part: ContentPart): readonly string[] {
  if (part.type !== "image" && part.type !== "file") return [];
  const { source } = part;
  const text =
    source.type === "base64" ? Buffer.from(source.data, "base64").toString() : source.type;
  return [[part.type, part.mimeType, part.type === "file" ? part.name : "", text].join(" ")];
}

async function upload(client: OpenAI) {
  const create = async (name: string) =>
    (
      await client.files.create({
        file: await toFile(Buffer.from(`content of ${name}`), name),
        purpose: "user_data",
      })
    ).id;
  return { image: await create("a.png"), file: await create("b.pdf") };
}

const asks = (image: string, file: string): ResponseInputItem[] => [
  {
    role: "user",
    content: [
      { type: "input_text", text: "Look:" },
      { type: "input_image", file_id: image, detail: "low" },
      { type: "input_file", file_id: file },
    ],
  },
];

const both = ["image image/png  content of a.png", "file application/pdf b.pdf content of b.pdf"];

for (const store of [true, false])
  test(`a model reads files that a request names by id, with store: ${store}`, async () => {
    const { ann, seen, ...stores } = setup(2);
    const { image, file } = await upload(ann);
    await ann.responses.create({ input: asks(image, file), model: "any", store });
    assert.deepEqual(seen(), both);
    const runs = await stores.store.searchRuns({ owner: "ann" });
    assert.equal(runs.data.length, store ? 1 : 0);
  });

test("a stored response shows the ids, and its files stay readable after they are deleted", async () => {
  const { ann, seen } = setup(3);
  const { image, file } = await upload(ann);
  const { id } = await ann.responses.create({ input: asks(image, file), model: "any" });
  const { data } = await ann.responses.inputItems.list(id);
  const [item] = data;
  assert.ok(item?.type === "message" && "content" in item && Array.isArray(item.content));
  assert.deepEqual(
    item.content.map((part) => ("file_id" in part ? part.file_id : part.type)),
    ["input_text", image, file],
  );
  await ann.files.delete(image);
  await ann.files.delete(file);
  await ann.responses.create({ input: "Again", previous_response_id: id, model: "any" });
  assert.deepEqual(seen(), both);
  await ann.responses.create({
    input: [
      { type: "item_reference", id: item.id ?? "" },
      { role: "user", content: "Once more" },
    ],
    model: "any",
  });
  assert.deepEqual(seen(), both);
});

test("Chat Completions read a file by its id", async () => {
  const { ann, seen } = setup(1);
  const { file } = await upload(ann);
  await ann.chat.completions.create({
    model: "any",
    messages: [{ role: "user", content: [{ type: "file", file: { file_id: file } }] }],
  });
  assert.deepEqual(seen(), [both[1]]);
});

test("another user's file is rejected as one that does not exist", async () => {
  const { ann, bob } = setup(0);
  const { image, file } = await upload(ann);
  const errors: string[] = [];
  for (const [first, second] of [
    [image, file],
    ["file-unknown", "file-unknown"],
  ] as const) {
    for (const request of [
      () => bob.responses.create({ model: "any", input: asks(first, second) }),
      () =>
        bob.chat.completions.create({
          model: "any",
          messages: [{ role: "user", content: [{ type: "file", file: { file_id: second } }] }],
        }),
    ])
      await assert.rejects(request(), (error) => {
        assert.ok(error instanceof OpenAI.APIError);
        const { status, code, param, message } = error;
        assert.equal(status, 404);
        errors.push([code, param, message.replace(first, "ID").replace(second, "ID")].join(" "));
        return true;
      });
  }
  assert.deepEqual(errors.slice(0, 2), errors.slice(2));
  assert.match(errors[0] ?? "", /^file_not_found input\[0\]\.content\[1\]\.file_id /);
});

test("a part with an id and another source, or an id that is not a string, is rejected", async () => {
  const { ann } = setup(0);
  const { image, file } = await upload(ann);
  const forged = { id: file, name: "x", mimeType: "image/png", sha256: "0".repeat(64), size: 1 };
  for (const part of [
    { type: "input_image", file_id: image, image_url: "https://example.org/a.png" },
    { type: "input_file", file_id: file, file_data: "aGk=" },
    { type: "input_file", file_id: forged },
    { type: "input_file", file_id: 7 },
    // A document is not an image.
    { type: "input_image", file_id: file },
  ])
    await assert.rejects(
      ann.responses.create({
        model: "any",
        input: [{ role: "user", content: [part] } as unknown as ResponseInputItem],
      }),
      (error) => error instanceof OpenAI.APIError && error.status === 400,
    );
});

// Contract: files-11
test("items of a conversation name files by id, and a file of another user is a 404", async () => {
  const { ann, bob, seen } = setup(2);
  const { image, file } = await upload(ann);
  const conversation = await ann.conversations.create({ items: asks(image, file) });
  const added = await ann.conversations.items.create(conversation.id, {
    items: asks(image, file),
  });
  assert.match(JSON.stringify(added.data), new RegExp(`"file_id":"${file}"`));
  await ann.files.delete(image);
  await ann.responses.create({
    model: "m",
    conversation: conversation.id,
    input: "What do you see?",
  });
  assert.deepEqual(seen(), [...both, ...both]);
  const isMissing = { status: 404, code: "file_not_found" };
  await assert.rejects(bob.conversations.create({ items: asks(file, file) }), isMissing);
  const own = await bob.conversations.create();
  await assert.rejects(bob.conversations.items.create(own.id, { items: asks(file, file) }), {
    ...isMissing,
    param: "items[0].content[1].file_id",
  });
});
