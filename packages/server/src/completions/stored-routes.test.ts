import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import OpenAI from "openai";
import { createTestApp, type TestApp, toyTools } from "../testing/app-fixtures.ts";
import { tool } from "../testing/run-fixtures.ts";

const hello = { role: "user", content: "Hello" } as const;

function clientOf({ fetch }: TestApp, apiKey = "none"): OpenAI["chat"]["completions"] {
  return new OpenAI({
    apiKey,
    baseURL: "http://127.0.0.1/v1",
    maxRetries: 0,
    fetch: (url, init) => fetch(new Request(url instanceof Request ? url : String(url), init)),
  }).chat.completions;
}

const keys = [
  { name: "ann", key: "ANN" },
  { name: "bob", key: "BOB" },
];

/** Creates Ann's completions, one for each topic, and returns their ids. */
async function setup(topics: readonly string[]) {
  const model = new ScriptedModel(topics.map((topic) => `About ${topic}.`));
  const app = createTestApp({ model, apiKeys: keys, agents: { reader: {} } });
  const [ann, bob] = [clientOf(app, "ANN"), clientOf(app, "BOB")];
  const ids: string[] = [];
  for (const topic of topics) {
    const name = topic === "agents" ? "reader" : model.id;
    const created = await ann.create({
      model: name,
      messages: [hello],
      store: true,
      metadata: { topic },
    });
    ids.push(created.id);
  }
  return { ann, bob, ids, model };
}

test("stored completions are listed in pages, in both orders, and only for their owner", async () => {
  const { ann, bob, ids } = await setup(["a", "b", "c"]);
  const all = await Array.fromAsync(ann.list({ limit: 2 }), ({ id }) => id);
  assert.deepEqual(all, ids);
  const newest = await ann.list({ limit: 1, order: "desc" });
  assert.deepEqual([newest.data[0]?.id, newest.has_more], [ids[2], true]);
  const next = await ann.list({ order: "desc", after: ids[2]! });
  assert.deepEqual(
    next.data.map(({ id }) => id),
    [ids[1], ids[0]],
  );
  const { data } = await ann.list();
  assert.deepEqual(data[0], await ann.retrieve(ids[0]!));
  assert.equal(data[1]?.choices[0]?.message.content, "About b.");
  assert.deepEqual((await bob.list()).data, []);
  await assert.rejects(bob.list({ after: ids[0]! }), { status: 400, param: "after" });
});

test("completions are filtered by the model that they show, and by metadata", async () => {
  const { ann, ids, model } = await setup(["a", "agents", "b"]);
  const listed = async (query: OpenAI.ChatCompletionListParams) =>
    (await ann.list(query)).data.map(({ id }) => ids.indexOf(id));
  assert.deepEqual(await listed({ model: "reader" }), [1]);
  assert.deepEqual(await listed({ model: model.id }), [0, 2]);
  assert.deepEqual(await listed({ metadata: { topic: "b" } }), [2]);
  assert.deepEqual(await listed({ metadata: { topic: "b", constructor: "x" } }), []);
  assert.deepEqual(await listed({ model: "reader", metadata: { topic: "b" } }), []);
});

test("the metadata of a stored completion can be replaced and filtered", async () => {
  const { ann, bob, ids } = await setup(["a", "b"]);
  const [id = ""] = ids;
  await assert.rejects(bob.update(id, { metadata: {} }), { status: 404 });
  const changed = await ann.update(id, { metadata: { topic: "new" } });
  assert.deepEqual(changed.metadata, { topic: "new" });
  assert.equal(changed.choices[0]?.message.content, "About a.");
  assert.deepEqual(await ann.retrieve(id), changed);
  assert.deepEqual((await ann.list({ metadata: { topic: "new" } })).data, [changed]);
  assert.deepEqual((await ann.list({ metadata: { topic: "a" } })).data, []);
  assert.equal((await ann.update(id, { metadata: null })).metadata, undefined);
  const long = { metadata: { k: "x".repeat(513) } };
  await assert.rejects(ann.update(id, long), { status: 400, param: "metadata.k" });
  await assert.rejects(ann.update(id, {} as never), { status: 400, param: "metadata" });
});

test("the messages of a stored completion are listed in pages, without the server's calls", async () => {
  const model = new ScriptedModel([
    {
      calls: [
        { name: "Time", id: "call_time" },
        { name: "Weather", args: { city: "Oslo" }, id: "call_weather" },
      ],
    },
    "It rains at noon.",
  ]);
  const app = createTestApp({ model, apiKeys: keys, tools: [tool("Time", () => "noon")] });
  const [ann, bob] = [clientOf(app, "ANN"), clientOf(app, "BOB")];
  const weather = { type: "function", function: { name: "Weather" } };
  const tools = [weather, ...toyTools] as unknown as OpenAI.ChatCompletionTool[];
  const asked: OpenAI.ChatCompletionMessageParam[] = [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "How is it?" },
        { type: "image_url", image_url: { url: "data:image/png;base64,iVBORw0KGgo=" } },
      ],
    },
  ];
  const common = { model: "any", tools, store: true };
  const first = await ann.create({ ...common, messages: asked });
  const { message } = first.choices[0]!;
  const answer = { role: "tool", tool_call_id: "call_weather", content: "rain" } as const;
  const second = await ann.create({ ...common, messages: [...asked, message, answer] });
  const shown = await Array.fromAsync(ann.messages.list(second.id, { limit: 2 }));
  assert.deepEqual(
    shown.map(({ id, role, content }) => [id, role as string, content]),
    [
      [`${second.id}-0`, "system", "Be brief."],
      [`${second.id}-1`, "user", "How is it?"],
      [`${second.id}-2`, "assistant", null],
      [`${second.id}-3`, "tool", "rain"],
    ],
  );
  assert.deepEqual(shown[1]?.content_parts, asked[1]?.content);
  assert.deepEqual(
    shown[2]?.tool_calls?.map(({ id }) => id),
    ["call_weather"],
  );
  const newest = await ann.messages.list(second.id, { order: "desc", after: `${second.id}-3` });
  assert.deepEqual(
    newest.data.map(({ id }) => id),
    [2, 1, 0].map((index) => `${second.id}-${index}`),
  );
  assert.equal((await ann.messages.list(first.id)).data.length, 2);
  await assert.rejects(bob.messages.list(second.id), { status: 404 });
  await assert.rejects(ann.messages.list(second.id, { after: "x" }), { param: "after" });
});

test("all choices of a completion are stored, and deleted together", async () => {
  const model = new ScriptedModel(["one", "two"]);
  const app = createTestApp({ model, apiKeys: keys });
  const [ann, bob] = [clientOf(app, "ANN"), clientOf(app, "BOB")];
  const created = await ann.create({ model: "any", messages: [hello], n: 2, store: true });
  assert.deepEqual(await ann.retrieve(created.id), created);
  assert.deepEqual((await ann.list()).data, [created]);
  await assert.rejects(bob.delete(created.id), { status: 404 });
  assert.equal((await ann.delete(created.id)).deleted, true);
  assert.deepEqual((await ann.list()).data, []);
  const { data } = await app.services.runs.store.searchRuns({ owner: "ann" });
  assert.deepEqual(data, []);
});

test("completions that failed or are not stored are not listed", async () => {
  const model = new ScriptedModel([{ error: new Error("down") }, "passing"]);
  const app = createTestApp({ model });
  const client = clientOf(app);
  await assert.rejects(client.create({ model: "any", messages: [hello], store: true }));
  await client.create({ model: "any", messages: [hello] });
  assert.deepEqual((await client.list()).data, []);
});
