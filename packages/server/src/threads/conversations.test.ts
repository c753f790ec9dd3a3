/* oxlint-disable typescript/no-deprecated -- OpenAI has deprecated the whole API */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ScriptedStep } from "@capstan/core/testing";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp, requestTo } from "../testing/app-fixtures.ts";
import { threadsClient } from "../testing/threads-client.ts";

const poll = { pollIntervalMs: 5 };

/** An app with an assistant and an empty thread, which is also a conversation. */
async function setup(steps: readonly ScriptedStep[]) {
  const model = new ScriptedModel(steps);
  const app = createTestApp({ model });
  const { assistants, threads } = threadsClient(app);
  const assistant_id = (await assistants.create({ model: "test/scripted" })).id;
  const { id } = await threads.create();
  const conversation = id.replace("thread_", "conv_");
  const call = async (path: string, body: object = {}) => {
    const response = await app.fetch(requestTo("POST", path, body));
    const answer = (await response.json()) as {
      readonly id: string;
      readonly status: string;
      readonly error?: { readonly message: string } | null;
    };
    return { ...answer, code: response.status };
  };
  const respond = (input: unknown, more: object = {}) =>
    call("/v1/responses", { model: "test/scripted", conversation, input, ...more });
  const add = (content: string, to = id) => threads.messages.create(to, { role: "user", content });
  const run = (of = id) => threads.runs.createAndPoll(of, { assistant_id }, poll);
  const read = (at: number) => model.requests[at]?.messages.map(({ content }) => content);
  return { threads, id, call, respond, add, run, read, model };
}

const functionTool = { type: "function", name: "ask", parameters: { type: "object" } };
const open: ScriptedStep = { calls: [{ name: "ask", id: "c1" }] };

test("a response does not read a deleted message of a thread", async () => {
  const { threads, id, respond, add, run, read } = await setup(["One.", "Two.", "Three."]);
  const { id: secret } = await add("SECRET");
  await add("Public");
  await run();
  await threads.messages.delete(secret, { thread_id: id });
  const refused = await respond("Next");
  assert.equal(refused.code, 409);
  assert.match(refused.error?.message ?? "", new RegExp(`POST /v1/threads/${id}/runs`));
  await run();
  assert.deepEqual(read(1), ["Public", "One."]);
  assert.equal((await respond("Next")).code, 200);
  assert.deepEqual(read(2), ["Public", "One.", "Two.", "Next"]);
});

test("a response waits until a run has read the added messages of a thread", async () => {
  const { id, respond, add, run, read } = await setup(["One.", "Two.", "Three."]);
  assert.equal((await respond("First")).code, 200);
  await add("Added");
  const refused = await respond("Next");
  assert.equal(refused.code, 409);
  assert.match(refused.error?.message ?? "", new RegExp(`POST /v1/threads/${id}/runs`));
  await run();
  assert.equal((await respond("Next")).code, 200);
  assert.deepEqual(read(2), ["First", "One.", "Added", "Two.", "Next"]);
});

test("a turn with open calls can be continued, and the messages it reads stay", async () => {
  const { threads, id, respond, add, run, read } = await setup([open, "Done.", "Four."]);
  assert.equal((await respond("Go", { tools: [functionTool] })).code, 200);
  await add("Added");
  const listed = (await threads.messages.list(id, { order: "asc" })).data;
  await assert.rejects(threads.messages.delete(listed[0]?.id ?? "", { thread_id: id }), {
    status: 409,
  });
  await assert.rejects(run(), { status: 409 });
  const output = { type: "function_call_output", call_id: "c1", output: "42" };
  const answered = await respond([output]);
  assert.equal(answered.code, 200);
  await run();
  assert.equal(read(2)?.at(-1), "Added");
});

test("a fork does not take over open calls", async () => {
  const { call, id, respond, add, run, model } = await setup(["One.", open, "Fork.", "Done."]);
  assert.equal((await respond("First")).code, 200);
  assert.equal((await respond("Go", { tools: [functionTool] })).code, 200);
  const fork = await call(`/v1/threads/${id}/fork`);
  await add("Instead", fork.id);
  assert.equal((await run(fork.id)).status, "completed");
  const texts = model.requests[2]?.messages.map(
    ({ role, content }) => `${role}: ${String(content)}`,
  );
  assert.deepEqual(texts, ["user: First", "assistant: One.", "user: Go", "user: Instead"]);
  // The calls stay open in the source.
  const output = { type: "function_call_output", call_id: "c1", output: "42" };
  assert.equal((await respond([output])).code, 200);
  assert.equal(model.requests[3]?.messages.at(-1)?.role, "tool");
});
