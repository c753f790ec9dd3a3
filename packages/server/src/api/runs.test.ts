import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import { openMemoryStore } from "@capstan/store";
import { asking, runIn, tool } from "../testing/run-fixtures.ts";
import { createTestApp, requestTo, toyTools } from "../testing/app-fixtures.ts";

const tools = [tool("Look", () => "seen"), asking("Ask", () => "made")];
const keys = [
  { name: "local", key: "mine" },
  { name: "other", key: "theirs" },
];

/** An app whose runs read or request approval, depending on their input. */
function testApp() {
  const store = openMemoryStore();
  const model = new ScriptedModel([]);
  model.stream = (request, signal) => {
    const { messages } = request;
    const asked = messages.some(({ role, content }) => role === "user" && content === "ask");
    const ran = messages.some(({ role }) => role === "tool");
    const step = ran ? "done" : { calls: [{ name: asked ? "Ask" : "Look" }] };
    return new ScriptedModel([step]).stream(request, signal);
  };
  const app = createTestApp({ model, tools, store, apiKeys: keys });
  async function send(
    method: string,
    path: string,
    body?: object,
    { key = "mine", headers = {} }: { readonly key?: string; readonly headers?: object } = {},
  ) {
    const request = requestTo(method, path, body);
    for (const [name, value] of Object.entries({ ...headers, Authorization: `Bearer ${key}` }))
      request.headers.set(name, value);
    return app.fetch(request);
  }
  async function get<T>(path: string): Promise<T> {
    const response = await send("GET", path);
    assert.equal(response.status, 200, path);
    return (await response.json()) as T;
  }
  async function begin(input: string, more: object = {}): Promise<string> {
    const response = await send("POST", "/v1/responses", {
      input,
      tools: toyTools,
      background: true,
      approvals: "inline",
      ...more,
    });
    const { id } = (await response.json()) as { readonly id: string };
    await runIn(store, id, input === "ask" ? "requires_action" : "completed");
    return id;
  }
  return { store, send, get, begin };
}

interface List<T> {
  readonly data: readonly T[];
  readonly has_more: boolean;
}
type Listed = List<{ readonly id: string; readonly status: string }>;

const idsOf = ({ data }: List<{ readonly id: string }>) => data.map(({ id }) => id);

test("runs are listed newest first, in pages, by status and by conversation", async () => {
  const { send, get, begin } = testApp();
  const made = await send("POST", "/v1/conversations", {});
  const { id: conversation } = (await made.json()) as { readonly id: string };
  const [first, waits, inside] = [
    await begin("look"),
    await begin("ask"),
    await begin("look", { conversation }),
  ];
  assert.deepEqual(idsOf(await get<Listed>("/v1/runs")), [inside, waits, first]);
  const page = await get<Listed>("/v1/runs?limit=2");
  assert.deepEqual([idsOf(page), page.has_more], [[inside, waits], true]);
  const rest = await get<Listed>(`/v1/runs?limit=2&after=${waits}`);
  assert.deepEqual([idsOf(rest), rest.has_more], [[first], false]);
  assert.deepEqual(idsOf(await get<Listed>("/v1/runs?status=requires_action")), [waits]);
  const either = await get<Listed>("/v1/runs?status=requires_action,completed&limit=1");
  assert.deepEqual([idsOf(either), either.has_more], [[inside], true]);
  assert.deepEqual(idsOf(await get<Listed>(`/v1/runs?conversation=${conversation}`)), [inside]);
  assert.deepEqual(idsOf(await get<Listed>("/v1/runs?status=failed")), []);
});

test("the event stream of an ended run closes after its last event", async () => {
  const { send, get, begin } = testApp();
  const id = await begin("look");
  const { last_seq: last } = await get<{ readonly last_seq: number }>(`/v1/runs/${id}`);
  const rest = await send("GET", `/v1/runs/${id}/events?starting_after=${last - 1}`);
  assert.match(await rest.text(), /event: chain\.ended/);
  const over = await send("GET", `/v1/runs/${id}/events?starting_after=${last}`);
  assert.deepEqual([over.status, await over.text()], [204, ""]);
  const waits = await begin("ask");
  const { body } = await send("GET", `/v1/runs/${waits}/events?starting_after=99`);
  assert.ok(body);
  await body.cancel();
});

test("an unknown status, limit or cursor is rejected by name", async () => {
  const { send } = testApp();
  for (const [query, message] of [
    ["status=done", /^status: expected one or more of queued, in_progress, .*, got "done"/],
    ["limit=0", /^limit: expected a whole number from 1 to 100/],
    ["after=resp_none", /^after: there is no run "resp_none" here/],
  ] as const) {
    const response = await send("GET", `/v1/runs?${query}`);
    assert.equal(response.status, 400);
    const { error } = (await response.json()) as { readonly error: { readonly message: string } };
    assert.match(error.message, message);
  }
});

test("the ledger of a run has each call with its times, its approver and its outcome", async () => {
  const { get, begin } = testApp();
  const id = await begin("look");
  const { data } = await get<List<Record<string, unknown>>>(`/v1/runs/${id}/calls`);
  const [{ object, run, name, toolId, status, idempotencyKey, decision }] = data as [
    Record<string, unknown>,
  ];
  assert.deepEqual(
    { object, run, name, toolId, status, idempotencyKey, decision, calls: data.length },
    {
      object: "call",
      run: id,
      name: "Look",
      toolId: "g.Look",
      status: "succeeded",
      idempotencyKey: `${id}/call_1`,
      decision: { verdict: "allowed", by: "tool" },
      calls: 1,
    },
  );
});

test("a run names the approvals that it waits for, and they are listed", async () => {
  const { get, begin } = testApp();
  const id = await begin("ask");
  const run = await get<{ readonly waiting: readonly { readonly approval: string }[] }>(
    `/v1/runs/${id}`,
  );
  const approvals = await get<Listed>(`/v1/runs/${id}/approvals`);
  assert.deepEqual(
    run.waiting.map(({ approval }) => approval),
    idsOf(approvals),
  );
  assert.deepEqual(
    approvals.data.map(({ status }) => status),
    ["pending"],
  );
});

test("every request for another user's run gets a 404", async () => {
  const { store, send, begin } = testApp();
  const id = await begin("ask");
  const output = { tool_outputs: [{ tool_call_id: "call_1", output: "" }] };
  for (const [method, path, body] of [
    ["GET", ""],
    ["GET", "/events"],
    ["GET", "/calls"],
    ["GET", "/approvals"],
    ["POST", "/cancel"],
    ["POST", "/retry", {}],
    ["POST", "/submit_tool_outputs", output],
    ["POST", "/calls/call_1/cancel"],
  ] as const) {
    const response = await send(method, `/v1/runs/${id}${path}`, body, { key: "theirs" });
    assert.equal(response.status, 404, `${method} ${path}`);
    assert.match(await response.text(), /run_not_found/);
  }
  const listed = await send("GET", "/v1/runs", undefined, { key: "theirs" });
  assert.deepEqual(((await listed.json()) as Listed).data, []);
  await runIn(store, id, "requires_action");
});

test("a stream continues from starting_after, and from Last-Event-ID if a browser reconnects", async () => {
  const { send, begin } = testApp();
  const path = `/v1/runs/${await begin("look")}/events`;
  const numbers = async (query: string, headers = {}) => {
    const text = await (await send("GET", `${path}${query}`, undefined, { headers })).text();
    return [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id));
  };
  const all = await numbers("");
  assert.deepEqual(
    all,
    all.map((_, index) => index + 1),
  );
  assert.deepEqual(await numbers("?starting_after=3"), all.slice(3));
  assert.deepEqual(await numbers("", { "Last-Event-ID": "4" }), all.slice(4));
  // A browser repeats its first URL; the header has the number of the last event that it received.
  assert.deepEqual(await numbers("?starting_after=3", { "Last-Event-ID": "5" }), all.slice(5));
  assert.deepEqual(await numbers("?starting_after=3", { "Last-Event-ID": "none" }), all.slice(3));
  assert.deepEqual(await numbers(`?starting_after=${all.length}`), []);
  const refused = await send("GET", `${path}?starting_after=-1`);
  assert.equal(refused.status, 400);
});
