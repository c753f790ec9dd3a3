/* oxlint-disable typescript/no-deprecated -- OpenAI has deprecated the whole API */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ScriptedStep } from "@capstan/core/testing";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp, requestTo } from "../testing/app-fixtures.ts";
import { threadsClient } from "../testing/threads-client.ts";

const poll = { pollIntervalMs: 5 };
const lastMessages = (last: number) => ({
  truncation_strategy: { type: "last_messages" as const, last_messages: last },
});

/** Creates a thread of two turns whose first message was deleted, and whose next run fails. */
async function setup(options: object = {}) {
  const fails: ScriptedStep = { error: new Error("The model failed.") };
  const model = new ScriptedModel(["One.", "Two.", fails, "Three.", "Four."]);
  const app = createTestApp({ model });
  const { assistants, threads } = threadsClient(app);
  const assistant_id = (await assistants.create({ model: "test/scripted" })).id;
  const { id } = await threads.create({ messages: [{ role: "user", content: "FIRST" }] });
  const add = (content: string) => threads.messages.create(id, { role: "user", content });
  const run = (more: object = {}) =>
    threads.runs.createAndPoll(id, { assistant_id, ...more }, poll);
  await run();
  await add("SECOND");
  await run();
  const [first] = (await threads.messages.list(id, { order: "asc" })).data;
  await threads.messages.delete(first?.id ?? "", { thread_id: id });
  await add("THIRD");
  const body = { assistant_id, ...options };
  const path = `/v1/threads/${id}/runs`;
  // The clients of OpenAI count their tries in this header.
  const tried = (count: number) => {
    const request = requestTo("POST", path, body);
    request.headers.set("x-stainless-retry-count", String(count));
    return request;
  };
  const response = await app.fetch(tried(0));
  const failed = (await response.json()) as { readonly id: string };
  const ended = async (runId: string) => {
    for (;;) {
      const { status } = await threads.runs.retrieve(runId, { thread_id: id });
      if (status !== "queued" && status !== "in_progress") return status;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };
  assert.equal(await ended(failed.id), "failed");
  const retry = async (how: "retry" | "repeat") => {
    const request =
      how === "retry"
        ? requestTo("POST", `/v1/runs/${failed.id.replace("run_", "resp_")}/retry`, {})
        : tried(1);
    const answer = await app.fetch(request);
    assert.equal(answer.status, 200);
    const [newest] = (await threads.runs.list(id)).data;
    assert.notEqual(newest?.id, failed.id);
    assert.equal(await ended(newest?.id ?? ""), "completed");
  };
  const read = (at: number) => model.requests[at]?.messages.map(({ content }) => content);
  return { add, run, retry, read };
}

for (const how of ["retry", "repeat"] as const) {
  test(`the ${how} of a run that states all messages reads the same ones, and so do later runs`, async () => {
    const { add, run, retry, read } = await setup();
    const all = ["One.", "SECOND", "Two.", "THIRD"];
    assert.deepEqual(read(2), all);
    await retry(how);
    assert.deepEqual(read(3), all);
    await add("FOURTH");
    await run();
    assert.deepEqual(read(4), [...all, "Three.", "FOURTH"]);
  });

  test(`the ${how} of a run that reads the newest messages reads the same ones, and later runs read all`, async () => {
    const { add, run, retry, read } = await setup(lastMessages(3));
    const newest = ["SECOND", "Two.", "THIRD"];
    assert.deepEqual(read(2), newest);
    await retry(how);
    assert.deepEqual(read(3), newest);
    await add("FOURTH");
    await run();
    assert.deepEqual(read(4), ["One.", ...newest, "Three.", "FOURTH"]);
  });
}
