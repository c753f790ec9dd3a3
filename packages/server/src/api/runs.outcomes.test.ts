import assert from "node:assert/strict";
import { test } from "node:test";
import { defineTool } from "@capstan/core";
import { ScriptedModel, type ScriptedStep } from "@capstan/core/testing";
import { openMemoryStore } from "@capstan/store";
import { runIn } from "../testing/run-fixtures.ts";
import { createTestApp, toyTools } from "../testing/app-fixtures.ts";

/**
 * A run whose server stopped during a payment, and the next server, whose model follows this
 * script.
 */
async function cutOff(...steps: readonly ScriptedStep[]) {
  const keys: string[] = [];
  const began = Promise.withResolvers<void>();
  const payWith = (answer: () => unknown) =>
    defineTool({
      name: "Pay",
      description: "Pays.",
      parameters: { type: "object" },
      permission: { executionPolicy: "auto" },
      execute: (_args, { idempotencyKey }) => {
        keys.push(idempotencyKey);
        began.resolve();
        return answer();
      },
    });
  const store = openMemoryStore();
  const hangs = payWith(() => Promise.withResolvers<never>().promise);
  const dead = createTestApp({
    model: new ScriptedModel([{ calls: [{ name: "Pay" }] }]),
    tools: [hangs],
    store,
  });
  const request = { input: "Pay.", tools: toyTools, background: true, approvals: "inline" };
  const { body } = await dead.call("POST", "/v1/responses", request);
  await began.promise;
  await runIn(store, body.id, "in_progress");
  const model = new ScriptedModel(steps);
  const app = createTestApp({ model, tools: [payWith(() => "paid")], store });
  const { runs } = app.services;
  await runs.recover(await runs.listUnfinished());
  return {
    ...app,
    store,
    model,
    keys,
    id: body.id,
    path: `/v1/runs/${body.id}/calls/call_1/outcome`,
  };
}

interface Report {
  readonly status: string;
  readonly found: { readonly answer: string; readonly by: string; readonly note?: string };
}

const readOf = (model: ScriptedModel) =>
  model.requests.at(-1)?.messages.find(({ role }) => role === "tool")?.content;

// Contract: durability-13
test("an outcome that a user reports is in the ledger, and the model of the next turn reads it", async () => {
  const { call, store, model, keys, id, path } = await cutOff("I am not sure.", "Good.");
  await runIn(store, id, "completed");
  assert.match(String(readOf(model)), /may or may not have happened/);
  const note = "Receipt 5.";
  const report = await call("POST", path, { outcome: "happened", note });
  const { status, found } = report.body as unknown as Report;
  assert.deepEqual(
    [report.status, status, found.answer, found.by, found.note],
    [200, "outcome_unknown", "happened", "local", note],
  );
  const listed = await call("GET", `/v1/runs/${id}/calls`);
  assert.deepEqual((listed.body.data as unknown as Report[])[0]?.found, found);
  await call("POST", "/v1/responses", {
    input: "And now?",
    previous_response_id: id,
    history: "full",
  });
  assert.match(String(readOf(model)), /A user checked: it did happen.* The user says: Receipt 5\./);
  assert.equal(keys.length, 1);
});

test("a second report returns the first outcome", async () => {
  const { call, store, id, path } = await cutOff("I am not sure.");
  await runIn(store, id, "completed");
  await call("POST", path, { outcome: "did_not_happen" });
  const second = await call("POST", path, { outcome: "happened" });
  assert.equal((second.body as unknown as Report).found.answer, "did_not_happen");
});

// Contract: durability-13
test("a call reported as run_again runs again with the same key when its run is retried", async () => {
  const { call, store, model, keys, id, path } = await cutOff(
    { error: new Error("gone") },
    "Done.",
  );
  await runIn(store, id, "failed");
  await call("POST", path, { outcome: "run_again" });
  const retried = await call("POST", `/v1/runs/${id}/retry`, {});
  await runIn(store, retried.body.id, "completed");
  assert.equal(readOf(model), "paid");
  assert.deepEqual(keys, [`${id}/call_1`, `${id}/call_1`]);
});

test("a report reaches the run that has taken over the turn", async () => {
  const { call, store, id, path } = await cutOff({ error: new Error("gone") }, "Done.");
  await runIn(store, id, "failed");
  const { body } = await call("POST", `/v1/runs/${id}/retry`, {});
  await runIn(store, body.id, "completed");
  await call("POST", path, { outcome: "happened" });
  const listed = await call("GET", `/v1/runs/${body.id}/calls`);
  assert.equal((listed.body.data as unknown as Report[])[0]?.found.answer, "happened");
});

test("rejects a report about a call with a known outcome or an unknown call", async () => {
  const { call, store, id, path } = await cutOff({ error: new Error("gone") }, "Done.");
  await runIn(store, id, "failed");
  await call("POST", path, { outcome: "run_again" });
  const { body } = await call("POST", `/v1/runs/${id}/retry`, {});
  await runIn(store, body.id, "completed");
  const known = await call("POST", `/v1/runs/${body.id}/calls/call_1/outcome`, {
    outcome: "happened",
  });
  assert.equal(known.status, 409);
  assert.match(known.body.error?.message ?? "", /it is succeeded/);
  const none = await call("POST", `/v1/runs/${id}/calls/nope/outcome`, { outcome: "happened" });
  assert.equal(none.status, 404);
  const odd = await call("POST", path, { outcome: "perhaps" });
  assert.equal(odd.status, 400);
});

// Contract: durability-13
test("a filter finds runs with a call of unknown outcome, until a user reports the outcome", async () => {
  const { call, store, id, path } = await cutOff("I am not sure.", "Good.", "Well.");
  await runIn(store, id, "completed");
  for (const input of ["one", "two"]) {
    const { body } = await call("POST", "/v1/responses", { input, background: true });
    await runIn(store, body.id, "completed");
  }
  const unknown = async (query = "outcome=unknown") => {
    const { status, body } = await call("GET", `/v1/runs?${query}`);
    return status === 200 ? body.data.map((run) => run.id) : [status, body.error?.param];
  };
  assert.deepEqual(await unknown(), [id]);
  assert.deepEqual(await unknown("outcome=unknown&status=completed&limit=1"), [id]);
  assert.deepEqual(await unknown(`outcome=unknown&after=${id}`), []);
  assert.deepEqual(await unknown("outcome=known"), [400, "outcome"]);
  await call("POST", path, { outcome: "happened" });
  assert.deepEqual(await unknown(), []);
});
