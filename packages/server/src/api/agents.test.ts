import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import type { AgentView, ModelView } from "@capstan/contract";
import { createTestApp, type TestApp } from "../testing/app-fixtures.ts";
import { tool } from "../testing/run-fixtures.ts";

const keys = [
  { name: "ann", key: "ANN", rights: ["ask", "approve"] },
  { name: "bob", key: "BOB", rights: ["ask"], agent: "house" },
] as const;

function app(): TestApp {
  return createTestApp({
    model: new ScriptedModel([]),
    tools: [tool("Read", () => "x")],
    apiKeys: keys,
    modelIds: ["other/model", "taken"],
    agents: { house: { title: "House", instructions: "Be kind.", groups: [{ group: "g" }] } },
  });
}

type Answer = Partial<Omit<AgentView, "object">> & {
  readonly data: readonly ModelView[];
  readonly error?: { readonly message: string; readonly param: string };
};

/** Sends a request with a key. */
function as(key: string, { fetch }: TestApp) {
  return async (method: string, path: string, body?: object) => {
    const response = await fetch(
      new Request(`http://127.0.0.1${path}`, {
        method,
        headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
        ...(body && { body: JSON.stringify(body) }),
      }),
    );
    const answer = (await response.json()) as Answer;
    return { status: response.status, body: answer };
  };
}

test("an agent's functions are checked", async () => {
  const ann = as("ANN", app());
  const good = { name: "send", description: "Sends.", parameters: { type: "object" } };
  const made = await ann("POST", "/v1/agents", { name: "a", functions: [good] });
  assert.deepEqual(made.body.functions, [good]);
  for (const [functions, param] of [
    [[{ name: "no spaces" }], "functions[0].name"],
    [[good, good], "functions"],
    [[{ ...good, run: "x" }], "functions[0]"],
    ["send", "functions"],
  ] as const) {
    const refused = await ann("POST", "/v1/agents", { name: "b", functions });
    assert.deepEqual([refused.status, refused.body.error?.param], [400, param]);
  }
});

test("an agent is created, read, replaced and deleted, by its owner only", async () => {
  const server = app();
  const [ann, bob] = [as("ANN", server), as("BOB", server)];
  const agent = {
    title: "Reader",
    model: "other/model",
    instructions: "Read.",
    groups: ["g"],
    history: { keep_turns: 2 },
    limits: { rounds: 2, calls: 3 },
    approvals: "deferred",
  };
  const made = await ann("POST", "/v1/agents", { name: "reader", ...agent });
  assert.equal(made.status, 200);
  const { created_at, updated_at, ...rest } = made.body;
  assert.deepEqual(rest, {
    ...agent,
    id: "reader",
    object: "agent",
    source: "user",
    groups: [{ group: "g" }],
  });
  assert.ok(created_at !== undefined && updated_at !== undefined);
  assert.deepEqual((await ann("GET", "/v1/agents/reader")).body, made.body);
  const changed = await ann("PUT", "/v1/agents/reader", { instructions: "Read more." });
  assert.equal(changed.body.instructions, "Read more.");
  assert.equal(changed.body.title, "reader");
  assert.equal(changed.body.groups, undefined);

  for (const [method, body] of [["GET"], ["PUT", {}], ["DELETE"]] as const)
    assert.equal((await bob(method, "/v1/agents/reader", body)).status, 404, method);
  assert.deepEqual(
    (await bob("GET", "/v1/agents")).body.data.map(({ id }) => id),
    ["house"],
  );
  assert.equal((await ann("POST", "/v1/agents", { name: "reader" })).status, 409);
  assert.deepEqual((await ann("DELETE", "/v1/agents/reader")).body, {
    id: "reader",
    object: "agent.deleted",
    deleted: true,
  });
  assert.equal((await ann("GET", "/v1/agents/reader")).status, 404);
});

test("agents of the configuration are visible to all and read-only", async () => {
  const ann = as("ANN", app());
  const found = await ann("GET", "/v1/agents/house");
  assert.deepEqual(found.body, {
    id: "house",
    object: "agent",
    title: "House",
    instructions: "Be kind.",
    groups: [{ group: "g" }],
    source: "configuration",
  });
  for (const [method, path, body] of [
    ["POST", "/v1/agents", { name: "house" }],
    ["PUT", "/v1/agents/house", {}],
    ["DELETE", "/v1/agents/house", undefined],
  ] as const) {
    const { status, body: answer } = await ann(method, path, body);
    assert.equal(status, 409, method);
    assert.match(answer.error?.message ?? "", /capstan\.config\.json/);
  }
});

test("an agent whose calls need no approval requires the right approve", async () => {
  const server = app();
  const [ann, bob] = [as("ANN", server), as("BOB", server)];
  const never = { groups: [{ group: "g", require_approval: "never" }] };
  const some = { groups: [{ group: "g", require_approval: { never: { read_only: true } } }] };
  for (const body of [never, some])
    assert.equal((await bob("POST", "/v1/agents", { name: "free", ...body })).status, 403);
  assert.equal((await bob("POST", "/v1/agents", { name: "free" })).status, 200);
  assert.equal((await bob("PUT", "/v1/agents/free", never)).status, 403);
  assert.equal((await ann("POST", "/v1/agents", { name: "free", ...never })).status, 200);
});

const invalid: readonly (readonly [object, string, RegExp])[] = [
  [{ name: "Upper" }, "name", /1 to 48 of the characters/],
  [{ name: "a/b" }, "name", /1 to 48/],
  [{}, "name", /1 to 48/],
  [{ name: "a", instruction: "x" }, "request", /no field "instruction".*instructions/],
  [{ name: "a", model: "nobody/nothing" }, "model", /GET \/v1\/models/],
  [{ name: "a", groups: ["G"] }, "groups[0].group", /no tool group "G" here/],
  [{ name: "a", groups: ["g", "g"] }, "groups", /each tool group once/],
  [{ name: "a", groups: [{ group: "g", allow: [] }] }, "groups[0]", /no field "allow"/],
  [
    { name: "a", groups: [{ group: "g", require_approval: "sometimes" }] },
    "groups[0].require_approval",
    /"always", "never"/,
  ],
  [{ name: "a", limits: { rounds: 0 } }, "limits.rounds", /from 1 to 1000, got 0/],
  [{ name: "a", history: "some" }, "history", /"log", "full"/],
  [{ name: "a", approvals: "later" }, "approvals", /"inline" or "deferred", got "later"/],
];

for (const [body, param, message] of invalid)
  test(`an invalid agent is rejected by the name of its field: ${JSON.stringify(body)}`, async () => {
    const { status, body: answer } = await as("ANN", app())("POST", "/v1/agents", body);
    assert.deepEqual([status, answer.error?.param], [400, param]);
    assert.match(answer.error?.message ?? "", message);
  });

test("an agent cannot have the name of a model", async () => {
  const { status } = await as("ANN", app())("POST", "/v1/agents", { name: "taken" });
  assert.equal(status, 409);
});

test("an assistant is listed as a model, which a request can name", async () => {
  const model = new ScriptedModel(["Hello."]);
  const one = createTestApp({ model, apiKeys: keys });
  const [ann, bob] = [as("ANN", one), as("BOB", one)];
  const made = await ann("POST", "/v1/assistants", { model: model.id, name: "Helper" });
  const { id } = made.body;
  const listed = (await ann("GET", "/v1/models")).body.data.find((view) => view.id === id);
  assert.equal((listed as { readonly title?: string } | undefined)?.title, "Helper");
  assert.equal((await ann("GET", `/v1/models/${id}`)).body.id, id);
  const others = (await bob("GET", "/v1/models")).body.data;
  assert.ok(!others.some((view) => view.id === id));
  const answer = await ann("POST", "/v1/responses", { model: id, input: "Hello" });
  assert.equal(answer.status, 200);
});

test("agents are listed after the models, and a key's default agent is the default", async () => {
  const server = app();
  const [ann, bob] = [as("ANN", server), as("BOB", server)];
  await ann("POST", "/v1/agents", { name: "reader", title: "Reader" });
  const models = async (request: typeof ann) => (await request("GET", "/v1/models")).body.data;
  const summary = (list: readonly ModelView[]) =>
    list.map(({ id, owned_by, title, default: isDefault }) => [id, owned_by, title, isDefault]);
  assert.deepEqual(summary(await models(ann)).slice(1), [
    ["house", "capstan", "House", false],
    ["reader", "capstan", "Reader", false],
  ]);
  assert.deepEqual(summary(await models(bob)).slice(1), [["house", "capstan", "House", true]]);
  assert.equal((await models(ann))[0]?.default, true);
  assert.equal((await models(bob))[0]?.default, false);
  assert.equal((await ann("GET", "/v1/models/agent/reader")).body.id, "reader");
  assert.equal((await bob("GET", "/v1/models/reader")).status, 404);
});
