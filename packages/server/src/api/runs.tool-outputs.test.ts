import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import { openMemoryStore, type Store } from "@capstan/store";
import { owner } from "@capstan/store/testing";
import { asking, createRuns, runIn, tool } from "../testing/run-fixtures.ts";
import { createTestApp, toyTools } from "../testing/app-fixtures.ts";

const weather = { type: "function", name: "Weather", parameters: { type: "object" } } as const;
const tools = [tool("Look", () => "seen"), asking("Ask", () => "made")];
const output = (tool_call_id: string, text: string) => ({ tool_call_id, output: text });
const outputs = (...tool_outputs: readonly object[]) => ({ tool_outputs });

/** An app with a run that waits for its client: the calls are `call_1`, `call_2`, … in this order. */
async function waitingFor(names: readonly string[], store: Store = openMemoryStore()) {
  const model = new ScriptedModel([{ calls: names.map((name) => ({ name })) }, "done"]);
  const app = createTestApp({ model, tools, store });
  const { body } = await app.call("POST", "/v1/responses", {
    input: "go",
    tools: [...toyTools, weather],
    background: true,
    approvals: "inline",
    tool_outputs: "inline",
  });
  await runIn(store, body.id, "requires_action");
  const path = `/v1/runs/${body.id}`;
  return {
    ...app,
    store,
    model,
    id: body.id,
    path,
    submit: (given: object) => app.call("POST", `${path}/submit_tool_outputs`, given),
    waiting: async () =>
      ((await app.call("GET", path)).body as unknown as { waiting: readonly object[] }).waiting,
  };
}

/** The output of each call in the model's last request. */
function read(model: ScriptedModel): readonly unknown[] {
  const { messages = [] } = model.requests.at(-1) ?? {};
  return messages.flatMap((message) => (message.role === "tool" ? [message.content] : []));
}

test("a run that waits for its client lists the outputs that it needs, and continues with them", async () => {
  const { store, model, id, submit, waiting } = await waitingFor(["Look", "Weather"]);
  assert.deepEqual(await waiting(), [
    { type: "client_call", call: "call_2", name: "Weather", arguments: "{}" },
  ]);
  const { status, body } = await submit(outputs(output("call_2", "rain")));
  assert.deepEqual([status, body.id], [200, id]);
  await runIn(store, id, "completed");
  assert.deepEqual(read(model), ["seen", "rain"]);
  assert.deepEqual(await waiting(), []);
});

test("outputs can arrive in several requests: the run resumes after the last output", async () => {
  const { store, model, id, submit, waiting } = await waitingFor(["Weather", "Weather"]);
  assert.equal((await submit(outputs(output("call_2", "two")))).body.status, "requires_action");
  assert.deepEqual(await waiting(), [
    { type: "client_call", call: "call_1", name: "Weather", arguments: "{}" },
  ]);
  assert.equal((await store.getRun({ owner, id }))?.epoch, 1, "no node claimed it");
  await submit(outputs(output("call_1", "one")));
  await runIn(store, id, "completed");
  assert.deepEqual(read(model), ["one", "two"]);
});

test("a repeated output changes nothing, before and after its run resumed", async () => {
  const { store, model, id, submit } = await waitingFor(["Weather", "Weather"]);
  for (let times = 0; times < 2; times++)
    assert.equal((await submit(outputs(output("call_2", "two")))).status, 200);
  await submit(outputs(output("call_1", "one")));
  await runIn(store, id, "completed");
  const again = await submit(outputs(output("call_1", "one"), output("call_2", "two")));
  assert.deepEqual([again.status, again.body.status], [200, "completed"]);
  assert.equal(model.requests.length, 2);
});

// Contract: durability-17
test("of two concurrent outputs for the same call, one is accepted", async () => {
  const { store, model, id, submit } = await waitingFor(["Weather"]);
  const answers = await Promise.all(
    ["left", "right"].map((text) => submit(outputs(output("call_1", text)))),
  );
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 409],
  );
  await runIn(store, id, "completed");
  assert.deepEqual(read(model), ["left"]);
});

test("an output that arrives before an approval is stored, and the run resumes with the user's answer", async () => {
  const { call, store, model, id, submit, waiting } = await waitingFor(["Ask", "Weather"]);
  assert.equal((await submit(outputs(output("call_2", "rain")))).body.status, "requires_action");
  const [question] = (await waiting()) as readonly { readonly approval: string }[];
  await call("POST", `/v1/approvals/${question?.approval}`, { decision: "allow" });
  await runIn(store, id, "completed");
  assert.deepEqual(read(model), ["made", "rain"]);
});

// Contract: durability-14
test("if a server stops after it stored an output and before the run resumed, the next one resumes the run", async () => {
  const { store, id } = await waitingFor(["Weather"]);
  const given = [{ callId: "call_1", output: "kept" }];
  await store.write([{ type: "submit-outputs", owner, runId: id, outputs: given }]);
  const model = new ScriptedModel(["done"]);
  const runs = createRuns({ store, model, tools });
  await runs.recover(await runs.listUnfinished());
  await runIn(store, id, "completed");
  assert.deepEqual(read(model), ["kept"]);
});

const refusals: readonly [what: string, given: object, status: number, message: RegExp][] = [
  [
    "an unknown call",
    outputs(output("nope", "")),
    400,
    /tool_outputs.0.tool_call_id: This run made no call nope\. .*Nothing of this request was stored/,
  ],
  [
    "a call that the server runs",
    outputs(output("call_1", "")),
    409,
    /call_1 of Look is run by the server/,
  ],
  ["no output", outputs(), 400, /expected at least one output/],
  ["an output that is not a text", outputs({ tool_call_id: "call_2", output: 5 }), 400, /output/],
  [
    "the same call twice",
    outputs(output("call_2", "a"), output("call_2", "b")),
    400,
    /"call_2" occurs twice/,
  ],
  [
    "one valid and one invalid output",
    outputs(output("call_2", "a"), output("nope", "")),
    400,
    /tool_outputs.1.tool_call_id: This run made no call nope/,
  ],
];
for (const [what, given, status, message] of refusals)
  test(`${what} is rejected, nothing of it is stored, and the run still waits`, async () => {
    const { store, model, id, submit, waiting } = await waitingFor(["Look", "Weather"]);
    const before = await waiting();
    const refused = await submit(given);
    assert.equal(refused.status, status);
    assert.match(refused.body.error?.message ?? "", message);
    assert.deepEqual(await waiting(), before);
    await submit(outputs(output("call_2", "good")));
    await runIn(store, id, "completed");
    assert.deepEqual(read(model), ["seen", "good"]);
  });

// Contract: durability-76
test("rejects an output of 50 MB and names its size, and the run still waits", async () => {
  const { store, model, id, submit } = await waitingFor(["Weather"]);
  const { status, body } = await submit(outputs(output("call_1", "x".repeat(50_000_000))));
  assert.equal(status, 413);
  assert.match(
    body.error?.message ?? "",
    /50000000 characters, the limit for one output is 10485760/,
  );
  await submit(outputs(output("call_1", "short")));
  await runIn(store, id, "completed");
  assert.deepEqual(read(model), ["short"]);
});

test("rejects a different output, a late output and an output for another user's run", async () => {
  const { call, store, id, path, submit } = await waitingFor(["Weather"]);
  const foreign = await call("POST", "/v1/runs/resp_other/submit_tool_outputs", outputs());
  assert.equal(foreign.status, 404);
  await call("POST", `${path}/cancel`);
  const late = await submit(outputs(output("call_1", "rain")));
  assert.equal(late.status, 409);
  assert.match(
    late.body.error?.message ?? "",
    /does not wait for an output any more: it is cancelled/,
  );
  assert.equal((await store.getRun({ owner, id }))?.status, "cancelled");
});

test("an output is accepted immediately while the server's own calls run", async () => {
  const hold = Promise.withResolvers<string>();
  const store = openMemoryStore();
  const model = new ScriptedModel([{ calls: [{ name: "Hold" }, { name: "Weather" }] }, "done"]);
  const { call } = createTestApp({
    model,
    tools: [tool("Hold", () => hold.promise)],
    store,
  });
  const { body } = await call("POST", "/v1/responses", {
    input: "go",
    tools: [...toyTools, weather],
    background: true,
  });
  await runIn(store, body.id, "in_progress");
  const path = `/v1/runs/${body.id}/submit_tool_outputs`;
  while ((await call("POST", path, outputs(output("call_2", "rain")))).status !== 200)
    await new Promise(setImmediate);
  hold.resolve("held");
  await runIn(store, body.id, "completed");
  assert.deepEqual(read(model), ["held", "rain"]);
});

test("a response is in progress while its run waits for client outputs, then completes", async () => {
  const { call, store, id, submit } = await waitingFor(["Weather"]);
  const response = `/v1/responses/${id}`;
  const waits = (await call("GET", response)).body;
  assert.equal(waits.status, "in_progress");
  assert.deepEqual(waits.output.filter(({ type }) => type === "function_call").length, 1);
  await submit(outputs(output("call_1", "rain")));
  await runIn(store, id, "completed");
  const done = (await call("GET", response)).body;
  assert.equal(done.status, "completed");
  assert.equal(done.output.at(-1)?.type, "message");
});
