/* oxlint-disable typescript/no-deprecated -- OpenAI has deprecated the whole API */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import { threadsClient } from "../testing/threads-client.ts";
import { createTestApp, type TestApp, toyTools } from "../testing/app-fixtures.ts";
import { tool } from "../testing/run-fixtures.ts";

const keys = [
  { name: "ann", key: "ANN", rights: ["ask", "approve"] },
  { name: "bob", key: "BOB", rights: ["ask"] },
] as const;

function app(): TestApp {
  return createTestApp({
    model: new ScriptedModel([]),
    tools: [tool("Read", () => "x")],
    apiKeys: keys,
    modelIds: ["other/model"],
    agents: {
      house: {
        title: "House",
        instructions: "Be kind.",
        groups: [{ group: "g" }],
        functions: [{ name: "send", parameters: { type: "object" } }],
      },
    },
  });
}

const send = {
  type: "function",
  function: { name: "send", parameters: { type: "object", properties: {} } },
} as const;

test("an assistant is created, read, changed, listed and deleted", async () => {
  const { assistants } = threadsClient(app(), "ANN");
  const made = await assistants.create({
    model: "other/model",
    name: "Reader",
    description: "Reads.",
    instructions: "Read.",
    tools: [send, ...(toyTools as unknown as [])],
    metadata: { a: "1" },
    temperature: 0.5,
    tool_resources: { file_search: { vector_store_ids: ["vs_1"] } },
  });
  assert.match(made.id, /^asst_/);
  assert.equal(made.object, "assistant");
  assert.equal(made.response_format, "auto");
  assert.equal(made.top_p, null);
  assert.deepEqual(made.tool_resources, { file_search: { vector_store_ids: ["vs_1"] } });
  assert.deepEqual(await assistants.retrieve(made.id), made);
  const changed = await assistants.update(made.id, { name: "Writer", temperature: null });
  assert.deepEqual(changed, { ...made, name: "Writer", temperature: null });
  const others = await Promise.all(
    [1, 2, 3].map((n) => assistants.create({ model: "other/model", name: `${n}` })),
  );
  const listed: string[] = [];
  for await (const each of assistants.list({ limit: 2 })) listed.push(each.id);
  assert.deepEqual(listed.toSorted(), [made.id, ...others.map(({ id }) => id)].toSorted());
  assert.deepEqual(await assistants.delete(made.id), {
    id: made.id,
    object: "assistant.deleted",
    deleted: true,
  });
  await assert.rejects(assistants.retrieve(made.id), { status: 404 });
});

test("an assistant belongs to its user, and GET /v1/agents omits it", async () => {
  const server = app();
  const [ann, bob] = [threadsClient(server, "ANN"), threadsClient(server, "BOB")];
  const { id } = await ann.assistants.create({ model: "other/model" });
  await assert.rejects(bob.assistants.retrieve(id), { status: 404 });
  await assert.rejects(bob.assistants.update(id, { name: "x" }), { status: 404 });
  await assert.rejects(bob.assistants.delete(id), { status: 404 });
  assert.deepEqual((await bob.assistants.list()).data, []);
  const response = await server.fetch(
    new Request("http://127.0.0.1/v1/agents", { headers: { Authorization: "Bearer ANN" } }),
  );
  assert.doesNotMatch(await response.text(), /asst_/);
});

test("agents are read-only assistants with their functions and groups", async () => {
  const { assistants } = threadsClient(app(), "ANN");
  const house = await assistants.retrieve("house");
  assert.equal(house.instructions, "Be kind.");
  assert.deepEqual(house.tools, [
    { type: "function", function: { name: "send", parameters: { type: "object" } } },
    { type: "mcp", server_label: "g", server_url: "capstan://groups/g" },
  ]);
  await assert.rejects(assistants.update("house", { name: "x" }), { status: 409 });
  await assert.rejects(assistants.delete("house"), { status: 409 });
});

test("an invalid assistant is rejected with the name of the field", async () => {
  const server = app();
  const { assistants } = threadsClient(server, "BOB");
  const cases: readonly (readonly [object, string, number?])[] = [
    [{}, "model"],
    [{ model: "missing/model" }, "model"],
    [{ model: "other/model", nonsense: 1 }, "nonsense"],
    [{ model: "other/model", temperature: 3 }, "temperature"],
    [{ model: "other/model", metadata: { a: 1 } }, "metadata.a"],
    [{ model: "other/model", tools: [{ type: "file_search" }] }, "tools[0].type"],
    [{ model: "other/model", tools: [{ type: "web_search" }] }, "tools[0].type"],
    [{ model: "other/model", tools: [send, send] }, "tools"],
    [
      { model: "other/model", tools: [{ ...toyTools[0], server_url: "https://example.org" }] },
      "tools[0].server_url",
    ],
    [
      { model: "other/model", tools: [{ ...toyTools[0], require_approval: "never" }] },
      "authorization",
      403,
    ],
    [
      { model: "other/model", response_format: { type: "json_schema" } },
      "response_format.json_schema",
    ],
    [
      { model: "other/model", tool_resources: { file_search: { vector_stores: [] } } },
      "tool_resources.file_search.vector_stores",
    ],
    [
      { model: "other/model", tool_resources: { code_interpreter: { file_ids: ["file-1"] } } },
      "tool_resources",
      404,
    ],
  ];
  for (const [body, param, status = 400] of cases)
    await assert.rejects(assistants.create(body as never), { status, param }, JSON.stringify(body));
});
