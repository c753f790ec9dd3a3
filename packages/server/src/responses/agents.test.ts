import assert from "node:assert/strict";
import { test } from "node:test";
import { ModelError } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import { requestOf } from "@capstan/store";
import { createTestApp, requestTo, type TestApp, toyTools } from "../testing/app-fixtures.ts";
import { asking, runIn, tool } from "../testing/run-fixtures.ts";
import type { Agents } from "../runs/request/agent.ts";

interface Response {
  readonly id: string;
  readonly model: string;
  readonly status: string;
  readonly instructions: string | null;
  readonly output: readonly {
    readonly type: string;
    readonly summary?: readonly { readonly text: string }[];
  }[];
  readonly error?: { readonly message: string; readonly code: string; readonly param: string };
}

const path = "/v1/responses";
const reader: Agents[string] = {
  instructions: "Read first.",
  groups: [{ group: "g", allowed_tools: ["Read"] }],
};
const readThenSay = [{ calls: [{ name: "Read" }] }, "It says x."];
const tools = [tool("Read", () => "x"), tool("Write", () => "done")];

async function post({ fetch }: TestApp, body: object): Promise<Response> {
  return (await (await fetch(requestTo("POST", path, body))).json()) as Response;
}

for (const name of ["reader", "agent/reader"])
  test(`the model "${name}" gives a request the agent's instructions and tools`, async () => {
    const model = new ScriptedModel(readThenSay);
    const app = createTestApp({ model, tools, agents: { reader } });
    const answer = await post(app, { model: name, instructions: "Be brief.", input: "Hello" });
    assert.equal(answer.model, name);
    assert.equal(answer.instructions, "Be brief.");
    const [first] = model.requests;
    assert.match(
      String(first?.messages[0]?.content),
      /^Read first\.\n\nBe brief\.\n\n<tool-rules>/,
    );
    assert.deepEqual(
      first?.tools?.map((each) => each.function.name),
      ["Read"],
    );
    assert.deepEqual(
      answer.output.map(({ type }) => type),
      ["reasoning", "message"],
    );
    assert.deepEqual(answer.output[0]?.summary, [
      { type: "summary_text", text: "Tool call Read (g): succeeded." },
    ]);
    const again = await app.call("GET", `${path}/${answer.id}`);
    assert.deepEqual(again.body, answer);
  });

test("the stream of a summarized call has the events of a reasoning summary", async () => {
  const app = createTestApp({
    model: new ScriptedModel(readThenSay),
    tools,
    agents: { reader },
  });
  const response = await app.fetch(
    requestTo("POST", path, { model: "reader", input: "Hello", stream: true }),
  );
  const events = (await response.text())
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)) as { type: string; delta?: string; text?: string });
  const ofSummary = events.filter(({ type }) => type.includes("reasoning_summary"));
  assert.deepEqual(
    ofSummary.map(({ type }) => type.replace("response.reasoning_summary_", "")),
    ["part.added", "text.delta", "text.delta", "text.done", "part.done"],
  );
  const deltas = ofSummary.map(({ delta = "" }) => delta).join("");
  assert.equal(deltas, "Tool call Read (g): succeeded.");
  assert.equal(ofSummary[3]?.text, deltas);
  assert.ok(!events.some(({ type }) => type.includes("mcp")));
});

test("a call of a group that the request names is an mcp_call, with the request's settings", async () => {
  const model = new ScriptedModel([{ calls: [{ name: "Write" }] }, "Done."]);
  const app = createTestApp({ model, tools, agents: { reader } });
  const answer = await post(app, { model: "reader", input: "Hello", tools: toyTools });
  assert.deepEqual(
    answer.output.map(({ type }) => type),
    ["mcp_list_tools", "mcp_call", "message"],
  );
  assert.equal(model.requests[0]?.tools?.length, 2);
});

test("a tool choice that lists tools excludes the agent's tools", async () => {
  const model = new ScriptedModel(["Hello."]);
  const app = createTestApp({ model, tools, agents: { reader } });
  const own = { type: "function", name: "Own", parameters: { type: "object" } };
  const choice = {
    type: "allowed_tools",
    mode: "auto",
    tools: [{ type: "function", name: "Own" }],
  };
  await post(app, { model: "reader", input: "Hello", tools: [own], tool_choice: choice });
  assert.deepEqual(
    model.requests[0]?.tools?.map((each) => each.function.name),
    ["Own"],
  );
});

test("a request cannot combine an agent's missing approval with tools that only it allows", async () => {
  const free: Agents[string] = {
    groups: [{ group: "g", allowed_tools: ["Read"], require_approval: "never" }],
  };
  const writes = [asking("Read", () => "x"), asking("Write", () => assert.fail("ran"))];
  const app = createTestApp({
    model: new ScriptedModel([{ calls: [{ name: "Write" }] }]),
    tools: writes,
    agents: { free },
  });
  const body = { model: "free", input: "Hello", tools: toyTools, approvals: "deferred" };
  const answer = await post(app, body);
  assert.deepEqual(answer.output.at(-1)?.type, "mcp_approval_request");
});

test("an agent without approvals runs a tool that needs one, for callers without approve", async () => {
  const free: Agents[string] = { groups: [{ group: "g", require_approval: "never" }] };
  const app = createTestApp({
    model: new ScriptedModel([{ calls: [{ name: "Read" }] }, "It says x."]),
    tools: [asking("Read", () => "x")],
    agents: { free },
    approvalsFrom: "people",
  });
  const answer = await post(app, { model: "free", input: "Hello" });
  assert.equal(answer.status, "completed");
  assert.equal(answer.output.length, 2);
});

test("approvals wait inline, and the limits of the agent apply", async () => {
  const agents: Agents = {
    slow: { groups: [{ group: "g" }], limits: { rounds: 1, calls: 1 } },
  };
  const model = new ScriptedModel([{ calls: [{ name: "Read" }] }, "Done."]);
  const app = createTestApp({ model, tools: [asking("Read", () => "x")], agents });
  const { runs } = app.services;
  const owner = "local";
  const started = post(app, { model: "slow", input: "Hello", history: "full" });
  let waiting = await runs.store.listApprovals({ owner });
  while (waiting.data.length === 0) {
    await new Promise((resolve) => setImmediate(resolve));
    waiting = await runs.store.listApprovals({ owner });
  }
  const [approval] = waiting.data;
  assert.ok(approval !== undefined && "runId" in approval);
  const run = await runIn(runs.store, approval.runId, "requires_action", owner);
  const { approvals, maxRounds, maxToolCalls, history } = requestOf(run);
  assert.deepEqual([approvals, maxRounds, maxToolCalls, history], ["inline", 1, 1, "full"]);
  await app.call("POST", `/v1/approvals/${approval.id}`, { decision: "allow" });
  const answer = await started;
  assert.deepEqual(
    answer.output.map(({ type }) => type),
    ["reasoning", "message"],
  );
});

test("a deferred approval of an agent's call is an approval request item, and its answer continues the run", async () => {
  const agents: Agents = { asks: { groups: [{ group: "g" }], approvals: "deferred" } };
  const app = createTestApp({
    model: new ScriptedModel([{ calls: [{ name: "Read" }] }, "It says x."]),
    tools: [asking("Read", () => "x")],
    agents,
  });
  const first = await post(app, { model: "asks", input: "Hello" });
  const question = first.output.at(-1) as unknown as { type: string; id: string };
  assert.equal(question.type, "mcp_approval_request");
  const answer = await post(app, {
    model: "asks",
    previous_response_id: first.id,
    input: [{ type: "mcp_approval_response", approval_request_id: question.id, approve: true }],
  });
  assert.deepEqual(
    answer.output.map(({ type }) => type),
    ["reasoning", "message"],
  );
});

test("a run keeps the settings that its agent had at its start", async () => {
  const agents: { [name: string]: Agents[string] } = { slow: { groups: [{ group: "g" }] } };
  const model = new ScriptedModel([{ calls: [{ name: "Read" }] }, "Done."]);
  const app = createTestApp({ model, tools: [asking("Read", () => "x")], agents });
  const started = post(app, { model: "slow", input: "Hello" });
  const { store } = app.services.runs;
  let found = await store.listApprovals({ owner: "local" });
  while (found.data.length === 0) {
    await new Promise((resolve) => setImmediate(resolve));
    found = await store.listApprovals({ owner: "local" });
  }
  delete agents["slow"];
  await app.call("POST", `/v1/approvals/${found.data[0]?.id ?? ""}`, { decision: "allow" });
  const answer = await started;
  assert.deepEqual([answer.status, answer.model], ["completed", "slow"]);
  assert.equal(model.requests.at(-1)?.tools?.length, 1);
});

test("a key's default agent answers requests without a model", async () => {
  const model = new ScriptedModel(readThenSay);
  const apiKeys = [{ name: "ann", key: "ANN", agent: "reader" }];
  const app = createTestApp({ model, tools, agents: { reader }, apiKeys });
  const response = await app.fetch(
    new Request(`http://127.0.0.1${path}`, {
      method: "POST",
      headers: { Authorization: "Bearer ANN", "Content-Type": "application/json" },
      body: JSON.stringify({ input: "Hello" }),
    }),
  );
  const answer = (await response.json()) as Response;
  assert.equal(answer.model, "reader");
  assert.equal(answer.output[0]?.type, "reasoning");
});

test("an agent that cannot be used is an error that says why", async () => {
  const agents: Agents = { lost: { groups: [{ group: "gone" }] }, old: { model: "old/model" } };
  const app = createTestApp({ model: new ScriptedModel([]), agents, modelIds: [] });
  const errorOf = async (model: string) => (await post(app, { model, input: "Hello" })).error;
  const lost = await errorOf("lost");
  assert.deepEqual([lost?.code, lost?.param], ["tool_group_not_found", "model"]);
  assert.match(lost?.message ?? "", /agent 'lost'.*'gone'/);
  assert.match((await errorOf("old"))?.message ?? "", /agent 'old'.*'old\/model'/);
  assert.match((await errorOf("agent/none"))?.message ?? "", /no agent 'none' here/);
});

test("a failed run of an agent can be retried with the agent's name as its model", async () => {
  const failure = new ModelError({ code: "bad_request", message: "no" });
  const model = new ScriptedModel([{ error: failure }, "Hello."]);
  const app = createTestApp({ model, tools, agents: { reader }, modelIds: [] });
  const first = await post(app, { model: "reader", input: "Hello", background: true });
  const { store } = app.services.runs;
  await runIn(store, first.id, "failed", "local");
  const retried = await app.call("POST", `/v1/runs/${first.id}/retry`, { model: "reader" });
  assert.equal(retried.status, 200);
  const run = await runIn(store, retried.body.id, "completed", "local");
  assert.equal(run.model, model.id);
});
