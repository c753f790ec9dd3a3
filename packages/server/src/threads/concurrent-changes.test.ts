/* oxlint-disable typescript/no-deprecated -- OpenAI has deprecated the whole API */
// Runs read the right messages if messages are added or deleted in the meantime. Routes read only
// the part of a thread that they need.
import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import { openMemoryStore, type Store } from "@capstan/store";
import { createTestApp } from "../testing/app-fixtures.ts";
import { threadsClient } from "../testing/threads-client.ts";

const poll = { pollIntervalMs: 5 };
const lastMessages = (last: number) => ({
  truncation_strategy: { type: "last_messages" as const, last_messages: last },
});

/** An app with an assistant and an empty thread. `store` can be changed while it runs. */
async function setup(steps: readonly ScriptedStep[]) {
  const real = openMemoryStore();
  const store: { -readonly [key in keyof Store]: Store[key] } = { ...real };
  const model = new ScriptedModel(steps);
  const app = createTestApp({ model, store });
  const { assistants, threads } = threadsClient(app);
  const assistant_id = (await assistants.create({ model: "test/scripted" })).id;
  const { id } = await threads.create();
  const add = (content: string, role: "user" | "assistant" = "user") =>
    threads.messages.create(id, { role, content });
  const run = (more: object = {}) =>
    threads.runs.createAndPoll(id, { assistant_id, ...more }, poll);
  const remove = (messageId: string) => threads.messages.delete(messageId, { thread_id: id });
  const read = (at: number) => model.requests[at]?.messages.map(({ content }) => content);
  const respond = (previous: string) =>
    app.call("POST", "/v1/responses", {
      model: "test/scripted",
      input: "Next",
      previous_response_id: previous.replace("run_", "resp_"),
    });
  return { real, store, threads, id, assistant_id, add, run, remove, read, respond, model };
}

test("later runs read added answers, too, if a run read only the newest messages", async () => {
  const { add, run, read } = await setup(["One.", "Two.", "Three."]);
  await add("FIRST");
  await run();
  await add("u1");
  await add("a1", "assistant");
  await add("u2");
  await run(lastMessages(3));
  assert.deepEqual(read(1), ["u1", "a1", "u2"]);
  await run();
  assert.deepEqual(read(2), ["FIRST", "One.", "u1", "a1", "u2", "Two."]);
});

test("a response does not continue an old run whose messages were deleted", async () => {
  const { add, run, remove, respond, read, threads, id } = await setup([
    "One.",
    "Two.",
    "Three.",
    "Four.",
    "Five.",
  ]);
  const { id: secret } = await add("SECRET");
  await add("Public");
  const first = await run();
  await remove(secret);
  const before = await respond(first.id);
  assert.equal(before.status, 409);
  assert.match(before.body.error?.message ?? "", new RegExp(`${secret}.*POST /v1/threads/${id}`));
  const second = await run();
  assert.deepEqual(read(1), ["Public", "One."]);
  assert.equal((await respond(first.id)).status, 409);
  assert.equal((await respond(second.id)).status, 200);
  assert.deepEqual(read(2), ["Public", "One.", "Two.", "Next"]);
  // A deleted answer of a run is not read again either, even after a run has stated all messages
  // again.
  const [answer] = (await threads.messages.list(id, { run_id: first.id })).data;
  await remove(answer?.id ?? "");
  assert.equal((await respond(second.id)).status, 409);
});

for (const first of ["deletion", "run"] as const)
  test(`a message that is deleted while a run starts is not read by later runs (${first} first)`, async () => {
    const { real, store, add, run, remove, read } = await setup(["One.", "Two."]);
    const { id: secret } = await add("SECRET");
    await add("Public");
    const late = first === "deletion" ? "create-run" : "delete-thread-object";
    // Both requests have read the thread when the first one writes.
    const reached = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    store.write = async (writes) => {
      const types = writes.map((write) => (write as { readonly type: string }).type);
      if (types.includes(late)) {
        reached.resolve();
        await go.promise;
      }
      return real.write(writes);
    };
    const both = [run, () => remove(secret)];
    if (first === "run") both.reverse();
    const [later, earlier] = both;
    const waiting = later?.();
    await reached.promise;
    await earlier?.();
    go.resolve();
    await waiting;
    assert.deepEqual(read(0), ["SECRET", "Public"]);
    await add("Next");
    await run();
    assert.deepEqual(read(1), ["Public", "One.", "Next"]);
  });

test("messages that are added while runs start are read once", async () => {
  const { real, store, add, run, model } = await setup(["1", "2", "3", "4", "5"]);
  // Writes of different requests overlap in different orders.
  let delay = 0;
  store.write = async (writes) => {
    delay = (delay * 7 + 3) % 5;
    await new Promise((resolve) => setTimeout(resolve, delay));
    return real.write(writes);
  };
  const names: string[] = [];
  for (let round = 0; round < 4; round++) {
    const added = ["a", "b", "c"].map((name) => `${name}${round}`);
    names.push(...added);
    await Promise.all([
      ...added.map((name) => add(name).catch(() => void names.splice(names.indexOf(name), 1))),
      run().catch(() => {}),
    ]);
  }
  await run();
  const texts = (model.requests.at(-1)?.messages ?? []).map(({ content }) => String(content));
  const last = texts.filter((text) => /^[abc]\d$/.test(text));
  assert.deepEqual(last.toSorted(), names.toSorted());
});

test("the newest messages, runs and the next run read only the newest runs of a thread", async () => {
  const { real, store, threads, id, add, run } = await setup(
    Array.from({ length: 13 }, (_, n) => `${n}`),
  );
  for (let n = 0; n < 12; n++) {
    await add(`question ${n}`);
    await run();
  }
  const readRuns = new Set<string>();
  store.getRun = async (query) => (readRuns.add(query.id), real.getRun(query));
  const { data } = await threads.messages.list(id, { limit: 3 });
  assert.deepEqual(
    data.map(({ content: [part] }) => part?.type === "text" && part.text.value),
    ["11", "question 11", "10"],
  );
  assert.ok(readRuns.size <= 4, `${readRuns.size} runs`);
  readRuns.clear();
  assert.equal((await threads.runs.list(id, { limit: 2 })).data.length, 2);
  assert.ok(readRuns.size <= 4, `${readRuns.size} runs`);
  readRuns.clear();
  await add("The last one");
  await run();
  assert.ok(readRuns.size <= 4, `${readRuns.size} runs`);
  const all: string[] = [];
  for await (const { content } of threads.messages.list(id, { order: "asc", limit: 5 }))
    all.push(content[0]?.type === "text" ? content[0].text.value : "");
  assert.equal(all.length, 26);
  assert.equal(new Set(all).size, 26);
});
