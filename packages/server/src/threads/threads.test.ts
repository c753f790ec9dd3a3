/* oxlint-disable typescript/no-deprecated -- OpenAI has deprecated the whole API */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ScriptedStep } from "@capstan/core/testing";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp, requestTo, type TestApp, toyTools } from "../testing/app-fixtures.ts";
import { threadsClient } from "../testing/threads-client.ts";

const keys = [
  { name: "ann", key: "ANN", rights: ["ask", "approve"] },
  { name: "bob", key: "BOB", rights: ["ask"] },
] as const;

function app(steps: readonly ScriptedStep[] = []): TestApp & { readonly model: ScriptedModel } {
  const model = new ScriptedModel(steps);
  return { ...createTestApp({ model, apiKeys: keys }), model };
}

const poll = { pollIntervalMs: 5 };

/** The texts of all messages of a thread, the oldest first. */
async function texts(
  { messages }: ReturnType<typeof threadsClient>["threads"],
  threadId: string,
): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { role, content } of messages.list(threadId, { order: "asc" })) {
    const [part] = content;
    found.push(`${role}: ${part?.type === "text" ? part.text.value : String(part?.type)}`);
  }
  return found;
}

test("a thread is created with messages and metadata, changed and deleted", async () => {
  const { threads } = threadsClient(app(), "ANN");
  const thread = await threads.create({
    messages: [
      { role: "user", content: "One", metadata: { a: "1" } },
      { role: "assistant", content: [{ type: "text", text: "Two" }] },
    ],
    metadata: { k: "v" },
    tool_resources: { file_search: { vector_store_ids: ["vs_1"] } },
  });
  assert.match(thread.id, /^thread_/);
  assert.deepEqual(await threads.retrieve(thread.id), thread);
  assert.deepEqual(thread.metadata, { k: "v" });
  const changed = await threads.update(thread.id, {
    metadata: { k: "w" },
    tool_resources: { code_interpreter: { file_ids: [] } },
  });
  assert.deepEqual(changed, {
    ...thread,
    metadata: { k: "w" },
    tool_resources: { code_interpreter: { file_ids: [] } },
  });
  assert.deepEqual(await texts(threads, thread.id), ["user: One", "assistant: Two"]);
  const gone = await threads.delete(thread.id);
  assert.deepEqual(gone, { id: thread.id, object: "thread.deleted", deleted: true });
  await assert.rejects(threads.retrieve(thread.id), { status: 404 });
  await assert.rejects(threads.messages.list(thread.id), { status: 404 });
});

test("messages are added, read, changed, listed in pages and deleted", async () => {
  const { threads } = threadsClient(app(), "ANN");
  const { id } = await threads.create();
  const made = [];
  for (const content of ["a", "b", "c"])
    made.push(await threads.messages.create(id, { role: "user", content }));
  const [a, b, c] = made as [(typeof made)[0], (typeof made)[0], (typeof made)[0]];
  assert.equal(a.object, "thread.message");
  assert.deepEqual(a.content, [{ type: "text", text: { value: "a", annotations: [] } }]);
  assert.deepEqual(await threads.messages.retrieve(b.id, { thread_id: id }), b);
  const idsOf = async (query: object) =>
    (await threads.messages.list(id, query)).data.map((each) => each.id);
  assert.deepEqual(await idsOf({}), [c.id, b.id, a.id]);
  assert.deepEqual(await idsOf({ order: "asc", limit: 2 }), [a.id, b.id]);
  assert.deepEqual(await idsOf({ order: "asc", after: a.id }), [b.id, c.id]);
  assert.deepEqual(await idsOf({ order: "asc", before: c.id, limit: 1 }), [b.id]);
  await assert.rejects(idsOf({ after: "msg_x" }), { status: 400, param: "after" });
  await assert.rejects(idsOf({ before: "msg_x" }), { status: 400, param: "before" });
  const changed = await threads.messages.update(a.id, { thread_id: id, metadata: { x: "y" } });
  assert.deepEqual(changed, { ...a, metadata: { x: "y" } });
  assert.deepEqual(await threads.messages.retrieve(a.id, { thread_id: id }), changed);
  const gone = await threads.messages.delete(b.id, { thread_id: id });
  assert.deepEqual(gone, { id: b.id, object: "thread.message.deleted", deleted: true });
  assert.deepEqual(await idsOf({}), [c.id, a.id]);
  await assert.rejects(threads.messages.retrieve(b.id, { thread_id: id }), { status: 404 });
});

test("a run answers the messages of its thread, and the next run reads both", async () => {
  const server = app(["Hello!", "Again!"]);
  const { assistants, threads } = threadsClient(server, "ANN");
  const assistant = await assistants.create({
    model: "test/scripted",
    instructions: "Be kind.",
    temperature: 0.5,
  });
  const thread = await threads.create({ messages: [{ role: "user", content: "Hi" }] });
  const run = await threads.runs.createAndPoll(
    thread.id,
    {
      assistant_id: assistant.id,
      additional_messages: [{ role: "user", content: "There" }],
      additional_instructions: "Be short.",
      metadata: { a: "1" },
    },
    poll,
  );
  assert.equal(run.status, "completed");
  assert.equal(run.thread_id, thread.id);
  assert.equal(run.assistant_id, assistant.id);
  assert.equal(run.instructions, "Be kind.\n\nBe short.");
  assert.equal(run.temperature, 0.5);
  assert.ok(run.usage !== null && run.completed_at !== null);
  assert.deepEqual(await texts(threads, thread.id), [
    "user: Hi",
    "user: There",
    "assistant: Hello!",
  ]);
  const [answer] = (await threads.messages.list(thread.id, { run_id: run.id })).data;
  assert.deepEqual([answer?.run_id, answer?.assistant_id], [run.id, assistant.id]);
  assert.deepEqual(
    await threads.messages.retrieve(answer?.id ?? "", { thread_id: thread.id }),
    answer,
  );
  await threads.messages.create(thread.id, { role: "user", content: "More" });
  await threads.runs.createAndPoll(thread.id, { assistant_id: assistant.id }, poll);
  assert.deepEqual(
    server.model.requests[1]?.messages.map(({ role, content }) => `${role}: ${String(content)}`),
    ["system: Be kind.", "user: Hi", "user: There", "assistant: Hello!", "user: More"],
  );
  const listed = (await threads.runs.list(thread.id, { order: "asc" })).data;
  assert.deepEqual(
    [listed.length, listed[0]],
    [2, await threads.runs.retrieve(run.id, { thread_id: thread.id })],
  );
  const changed = await threads.runs.update(run.id, { thread_id: thread.id, metadata: { b: "2" } });
  assert.deepEqual(changed, { ...run, metadata: { b: "2" } });
});

test("threads/runs creates a thread and a run, and agents are assistants", async () => {
  const server = createTestApp({
    model: new ScriptedModel(["Hello!"]),
    agents: { house: { instructions: "Be kind." } },
  });
  const { threads } = threadsClient(server);
  const run = await threads.createAndRunPoll(
    { assistant_id: "house", thread: { messages: [{ role: "user", content: "Hi" }] } },
    poll,
  );
  assert.equal(run.status, "completed");
  assert.deepEqual(await texts(threads, run.thread_id), ["user: Hi", "assistant: Hello!"]);
});

test("threads, runs and assistants of one user are absent for another", async () => {
  const server = app(["Hello!", "Hello!"]);
  const [ann, bob] = [threadsClient(server, "ANN"), threadsClient(server, "BOB")];
  const { id: assistant_id } = await ann.assistants.create({ model: "test/scripted" });
  const run = await ann.threads.createAndRunPoll({ assistant_id }, poll);
  const { thread_id } = run;
  const absent = { status: 404 };
  await assert.rejects(bob.threads.retrieve(thread_id), absent);
  await assert.rejects(bob.threads.runs.retrieve(run.id, { thread_id }), absent);
  await assert.rejects(bob.threads.runs.create(thread_id, { assistant_id }), absent);
  await assert.rejects(bob.threads.createAndRun({ assistant_id }), absent);
  const own = await bob.threads.create();
  // A run is found only in its own thread.
  await assert.rejects(bob.threads.runs.retrieve(run.id, { thread_id: own.id }), absent);
  const other = await ann.threads.create();
  await assert.rejects(ann.threads.runs.retrieve(run.id, { thread_id: other.id }), absent);
});

test("a run cannot remove approvals without the right to approve", async () => {
  const { assistants, threads } = threadsClient(app(), "BOB");
  const { id: assistant_id } = await assistants.create({ model: "test/scripted" });
  const { id } = await threads.create();
  const tools = [{ ...toyTools[0], require_approval: "never" }] as unknown as [];
  const denied = { status: 403, code: "right_missing" };
  await assert.rejects(threads.runs.create(id, { assistant_id, tools }), denied);
  await assert.rejects(threads.createAndRun({ assistant_id, tools }), denied);
});

test("a deleted message is not read again, and fork and copy_to copy the rest", async () => {
  const server = app(["One.", "Two.", "Three."]);
  const { assistants, threads } = threadsClient(server, "ANN");
  const assistant_id = (await assistants.create({ model: "test/scripted" })).id;
  const { id } = await threads.create({
    messages: [
      { role: "user", content: "Secret" },
      { role: "user", content: "Public" },
    ],
  });
  await threads.runs.createAndPoll(id, { assistant_id }, poll);
  const all = (await threads.messages.list(id, { order: "asc" })).data;
  await threads.messages.delete(all[0]?.id ?? "", { thread_id: id });
  await threads.messages.create(id, { role: "user", content: "Next" });
  await threads.runs.createAndPoll(id, { assistant_id }, poll);
  assert.deepEqual(
    server.model.requests[1]?.messages.map(({ content }) => content),
    ["Public", "One.", "Next"],
  );
  const left = ["user: Public", "assistant: One.", "user: Next", "assistant: Two."];
  assert.deepEqual(await texts(threads, id), left);
  const post = async (path: string) => {
    const request = new Request(`http://127.0.0.1/v1/threads/${path}`, {
      method: "POST",
      headers: { Authorization: "Bearer ANN", "Content-Type": "application/json" },
      body: "{}",
    });
    return (await (await server.fetch(request)).json()) as { readonly id: string };
  };
  const fork = await post(`${id}/fork`);
  assert.deepEqual(await texts(threads, fork.id), left);
  await threads.messages.create(fork.id, { role: "user", content: "Fork" });
  await threads.runs.createAndPoll(fork.id, { assistant_id }, poll);
  assert.deepEqual(
    server.model.requests[2]?.messages.map(({ content }) => content),
    ["Public", "One.", "Next", "Two.", "Fork"],
  );
  assert.deepEqual(await texts(threads, id), left);
  const { id: other } = await threads.create();
  await post(`${id}/copy_to/${other}`);
  assert.deepEqual(await texts(threads, other), left);
});

test("truncation_strategy limits what one run reads", async () => {
  const server = app(["1", "2"]);
  const { assistants, threads } = threadsClient(server, "ANN");
  const assistant_id = (await assistants.create({ model: "test/scripted" })).id;
  const { id } = await threads.create({
    messages: ["a", "b", "c"].map((content) => ({ role: "user" as const, content })),
  });
  const truncation_strategy = { type: "last_messages", last_messages: 2 } as const;
  const run = await threads.runs.createAndPoll(id, { assistant_id, truncation_strategy }, poll);
  assert.deepEqual(run.truncation_strategy, truncation_strategy);
  assert.deepEqual(
    server.model.requests[0]?.messages.map(({ content }) => content),
    ["b", "c"],
  );
  await threads.runs.createAndPoll(id, { assistant_id }, poll);
  assert.deepEqual(
    server.model.requests[1]?.messages.map(({ content }) => content),
    ["a", "b", "c", "1"],
  );
});

test("no change is lost if a thread is changed twice at the same time", async () => {
  const server = app(["One."]);
  const { assistants, threads } = threadsClient(server, "ANN");
  const assistant_id = (await assistants.create({ model: "test/scripted" })).id;
  const { id } = await threads.create({ messages: [{ role: "user", content: "Hi" }] });
  await threads.runs.createAndPoll(id, { assistant_id }, poll);
  const [read] = (await threads.messages.list(id, { order: "asc" })).data;
  const tool_resources = { file_search: { vector_store_ids: ["vs_1"] } };
  const changes = await Promise.allSettled([
    threads.update(id, { tool_resources }),
    threads.messages.delete(read?.id ?? "", { thread_id: id }),
  ]);
  for (const change of changes)
    if (change.status === "rejected")
      await assert.rejects(Promise.reject(change.reason as Error), { status: 409 });
  const [updated, deleted] = changes;
  const shown = await threads.retrieve(id);
  assert.deepEqual(shown.tool_resources, updated.status === "fulfilled" ? tool_resources : null);
  const respond = requestTo("POST", "/v1/responses", {
    model: "test/scripted",
    conversation: id.replace("thread_", "conv_"),
    input: "Next",
  });
  respond.headers.set("Authorization", "Bearer ANN");
  const { status } = await server.fetch(respond);
  assert.equal(status, deleted.status === "fulfilled" ? 409 : 200);
});

test("a thread can be copied to itself up to its limit; a longer copy changes nothing", async () => {
  const served = app();
  const { threads } = threadsClient(served, "ANN");
  const text = { type: "text", text: "x".repeat(120_000) } as const;
  const content = Array.from({ length: 100 }, () => text);
  const thread = await threads.create({ messages: [{ role: "user", content }] });
  const copy = async () => {
    const path = `/v1/threads/${thread.id}/copy_to/${thread.id}`;
    const request = requestTo("POST", path, {});
    request.headers.set("Authorization", "Bearer ANN");
    const answer = await served.fetch(request);
    const { error } = (await answer.json()) as { readonly error?: { readonly code: string } };
    return error?.code ?? answer.status;
  };
  assert.deepEqual([await copy(), await copy()], [200, "thread_too_long"]);
  assert.equal((await threads.messages.list(thread.id)).data.length, 2);
  await assert.rejects(threads.messages.create(thread.id, { role: "user", content }), {
    status: 400,
    code: "thread_too_long",
  });
  await threads.messages.create(thread.id, { role: "user", content: "short" });
});
