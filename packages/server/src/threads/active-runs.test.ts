/* oxlint-disable typescript/no-deprecated -- OpenAI has deprecated the whole API */
import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import { createTestApp, requestTo } from "../testing/app-fixtures.ts";
import { threadsClient } from "../testing/threads-client.ts";

const poll = { pollIntervalMs: 5 };

async function setup(steps: readonly ScriptedStep[], suspendedMs?: number) {
  const model = new ScriptedModel(steps);
  const limits = { ...(suspendedMs !== undefined && { suspendedMs }) };
  const app = createTestApp({ model, limits });
  const { assistants, threads } = threadsClient(app);
  const functions = [{ type: "function", function: { name: "ask" } }] as const;
  const { id: assistant_id } = await assistants.create({ model: model.id, tools: [...functions] });
  const { id } = await threads.create({ messages: [{ role: "user", content: "Hi" }] });
  return { app, model, threads, assistant_id, id };
}

/** An answer that stops after its first words until the run is stopped. */
function endless(onWait: () => void): ScriptedStep {
  return {
    events: (async function* () {
      yield { type: "text-delta", text: "Well" } as const;
      onWait();
      await new Promise(() => {});
    })(),
  };
}

test("of two runs that are started at the same time, one begins", async () => {
  const { threads, assistant_id, id } = await setup([{ calls: [{ name: "ask", id: "c" }] }]);
  const outcomes = await Promise.allSettled(
    [1, 2].map(() => threads.runs.create(id, { assistant_id })),
  );
  assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ["fulfilled", "rejected"]);
  for (const outcome of outcomes)
    if (outcome.status === "rejected")
      await assert.rejects(Promise.reject(outcome.reason as Error), {
        status: 400,
        code: "active_run",
      });
  assert.equal((await threads.runs.list(id)).data.length, 1);
});

test("messages that are added at the same time are all read, once", async () => {
  const { threads, assistant_id, id, model } = await setup(["One.", "Two."]);
  const contents = ["a", "b", "c", "d"];
  await Promise.all(
    contents.map((content) => threads.messages.create(id, { role: "user", content })),
  );
  await threads.runs.createAndPoll(id, { assistant_id }, poll);
  await threads.runs.createAndPoll(id, { assistant_id }, poll);
  const asked = model.requests.map(({ messages }) => messages.map(({ content }) => content));
  assert.deepEqual(asked[0]?.toSorted(), ["Hi", ...contents]);
  assert.deepEqual(asked[1]?.toSorted(), ["Hi", "One.", ...contents]);
});

test("a cancelled stream closes its message, its step and the run", async () => {
  const { promise: waits, resolve } = Promise.withResolvers<void>();
  const { threads, assistant_id, id } = await setup([endless(resolve)]);
  const stream = threads.runs.stream(id, { assistant_id });
  const events: string[] = [];
  stream.on("event", ({ event }) => events.push(event));
  await waits;
  const [active] = (await threads.runs.list(id)).data;
  const cancelled = await threads.runs.cancel(active?.id ?? "", { thread_id: id });
  assert.deepEqual(await stream.finalRun(), cancelled);
  assert.deepEqual(events.slice(-3), [
    "thread.message.incomplete",
    "thread.run.step.cancelled",
    "thread.run.cancelled",
  ]);
  const [message] = (await threads.messages.list(id)).data;
  assert.deepEqual(message?.incomplete_details, { reason: "run_cancelled" });
});

test("a deleted thread stops its run", async () => {
  const { promise: waits, resolve } = Promise.withResolvers<void>();
  const { threads, assistant_id, id, app } = await setup([endless(resolve)]);
  const run = await threads.runs.create(id, { assistant_id });
  await waits;
  await threads.delete(id);
  await assert.rejects(threads.runs.retrieve(run.id, { thread_id: id }), { status: 404 });
  assert.equal(app.services.runs.isActive(run.id.replace("run_", "resp_")), false);
});

test("a run that is not answered in time is expired, with its step", async () => {
  const { threads, assistant_id, id, app } = await setup([{ calls: [{ name: "ask", id: "c" }] }]);
  const run = await threads.runs.createAndPoll(id, { assistant_id }, poll);
  assert.equal(run.status, "requires_action");
  const { runs } = app.services;
  const record = await runs.store.getRun({ owner: "local", id: run.id.replace("run_", "resp_") });
  assert.ok(record);
  await runs.expire(record);
  const expired = await threads.runs.retrieve(run.id, { thread_id: id });
  assert.deepEqual([expired.status, expired.expires_at], ["expired", null]);
  const [step] = (await threads.runs.steps.list(run.id, { thread_id: id })).data;
  assert.equal(step?.status, "expired");
});

test("a response can continue the thread's conversation, and a retry repeats no message", async () => {
  const { threads, assistant_id, id, app } = await setup([
    { error: new Error("It broke.") },
    "Answered.",
    "Continued.",
    "Back.",
  ]);
  const failed = await threads.runs.createAndPoll(id, { assistant_id }, poll);
  assert.equal(failed.status, "failed");
  const post = async (path: string, body: object) => {
    const response = await app.fetch(requestTo("POST", path, body));
    assert.equal(response.status, 200, await response.clone().text());
    return (await response.json()) as { readonly id: string };
  };
  const retried = await post(`/v1/runs/${failed.id.replace("run_", "resp_")}/retry`, {});
  await threads.runs.poll(retried.id.replace("resp_", "run_"), { thread_id: id }, poll);
  const conversation = id.replace("thread_", "conv_");
  await post("/v1/responses", { model: "test/scripted", conversation, input: "And you?" });
  await threads.messages.create(id, { role: "user", content: "Thanks" });
  await threads.runs.createAndPoll(id, { assistant_id }, poll);
  const { data } = await threads.messages.list(id, { order: "asc" });
  assert.deepEqual(
    data.map(({ role, content: [part] }) => [role, part?.type === "text" && part.text.value]),
    [
      ["user", "Hi"],
      ["assistant", "Answered."],
      ["user", "And you?"],
      ["assistant", "Continued."],
      ["user", "Thanks"],
      ["assistant", "Back."],
    ],
  );
  for (const message of data)
    assert.deepEqual(await threads.messages.retrieve(message.id, { thread_id: id }), message);
  const [, second] = data;
  const metadata = { seen: "1" };
  await threads.messages.update(second?.id ?? "", { thread_id: id, metadata });
  const changed = await threads.messages.retrieve(second?.id ?? "", { thread_id: id });
  assert.deepEqual(changed, { ...second, metadata });
});
