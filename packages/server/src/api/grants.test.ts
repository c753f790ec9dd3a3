import assert from "node:assert/strict";
import { test } from "node:test";
import { ScriptedModel } from "@capstan/core/testing";
import { openMemoryStore, type Store } from "@capstan/store";
import { grantOf, owner, intact } from "@capstan/store/testing";
import { asking, tool } from "../testing/run-fixtures.ts";
import { createTestApp, toyTools } from "../testing/app-fixtures.ts";

const ask = { calls: [{ name: "Ask" }] };

/**
 * An app whose runs with `store: false` ask once, and a function that waits for the next approval
 * request.
 */
function createAsking(answers: ConstructorParameters<typeof ScriptedModel>[0]) {
  let made = 0;
  let asked = Promise.withResolvers<void>();
  const memory = openMemoryStore();
  const ephemeral: Store = {
    ...memory,
    write: async (writes) => {
      const outcomes = await memory.write(writes);
      const [first] = writes;
      if (first?.type === "journal" && first.writes.some(({ type }) => type === "result"))
        asked.resolve();
      return outcomes;
    },
  };
  const kept = openMemoryStore();
  const app = createTestApp({
    model: new ScriptedModel(answers),
    tools: [tool("Ask", () => ++made, "ask-once"), asking("Other", () => 0)],
    store: kept,
    memory: ephemeral,
  });
  return {
    ...app,
    made: () => made,
    /** Starts a run that waits inline, and returns its approval request. */
    question: async () => {
      asked = Promise.withResolvers();
      const body = { input: "go", tools: toyTools, store: false, approvals: "inline" };
      const response = app.call("POST", "/v1/responses", body);
      await asked.promise;
      const { data } = intact(await memory.listApprovals({ owner, status: "pending" }));
      return { id: data[0]!.id, runId: data[0]!.runId, response };
    },
  };
}

test("a permanent grant from an unstored response applies in all runs, and revoking it affects all runs", async () => {
  const { call, question, made } = createAsking([ask, "a", ask, "b", ask, "c", ask, "d"]);
  const { id, response } = await question();
  await call("POST", `/v1/approvals/${id}`, { decision: "allow", scope: "always" });
  await response;
  const grants = await call("GET", "/v1/grants");
  assert.equal(grants.body.data.length, 1);
  const { body: fresh } = await call("POST", "/v1/conversations", {});
  const there = await call("GET", `/v1/grants?conversation=${fresh.id}`);
  assert.equal(there.body.data.length, 1, "it is listed before the first run");
  for (const store of [true, false])
    await call("POST", "/v1/responses", { input: "go", tools: toyTools, store });
  assert.equal(made(), 3);

  const revoked = await call("DELETE", `/v1/grants/${grants.body.data[0]!.id}`);
  assert.equal(revoked.status, 200);
  const { body } = await call("POST", "/v1/responses", {
    input: "go",
    tools: toyTools,
    store: false,
  });
  assert.ok(body.output.some(({ type }) => type === "mcp_approval_request"));
  assert.equal(made(), 3);
});

test("a session grant of an unstored response can be listed and revoked", async () => {
  const { call, question } = createAsking([ask, "a"]);
  const { id, response } = await question();
  await call("POST", `/v1/approvals/${id}`, { decision: "allow", scope: "session" });
  await response;
  const { body } = await call("GET", "/v1/grants");
  assert.equal(body.data.length, 1);
  assert.equal((await call("DELETE", `/v1/grants/${body.data[0]!.id}`)).status, 200);
  assert.equal((await call("GET", "/v1/grants")).body.data.length, 0);
});

test("an unstored run can be cancelled while it waits", async () => {
  const { call, question } = createAsking([ask]);
  const { runId, response } = await question();
  const stopped = await call("POST", `/v1/runs/${runId}/cancel`);
  assert.deepEqual([stopped.status, stopped.body.status], [200, "cancelled"]);
  assert.equal((await response).body.status, "cancelled");
});

test("a session grant names its conversation, also in unfiltered lists; a permanent grant names none", async () => {
  const { call, services } = createAsking(["a"]);
  const { body: conversation } = await call("POST", "/v1/conversations", {});
  const { body: run } = await call("POST", "/v1/responses", {
    input: "go",
    conversation: conversation.id,
  });
  const { store } = services.runs;
  const sessionId = (await store.getRun({ owner, id: run.id }))?.sessionId ?? "";
  for (const [scope, session] of [
    ["session", sessionId],
    ["always", null],
  ] as const) {
    const grant = grantOf(scope, { scope });
    await store.write([{ type: "create-grant", owner, sessionId: session, grant }]);
  }
  const listed = async (query: string) => {
    const { body } = await call("GET", `/v1/grants${query}`);
    const grants = body.data as unknown as readonly {
      readonly scope: string;
      readonly conversation: string | null;
    }[];
    return Object.fromEntries(grants.map(({ scope, conversation: where }) => [scope, where]));
  };
  const both = { always: null, session: conversation.id };
  assert.deepEqual(await listed(""), both);
  assert.deepEqual(await listed(`?conversation=${conversation.id}`), both);
});

test("a second revocation returns the time of the first", async () => {
  const { call, question } = createAsking([ask, "a"]);
  const { id, response } = await question();
  await call("POST", `/v1/approvals/${id}`, { decision: "allow", scope: "always" });
  await response;
  const { body } = await call("GET", "/v1/grants");
  const revoke = async () => {
    const answer = await call("DELETE", `/v1/grants/${body.data[0]!.id}`);
    const { again, revokedAt } = answer.body as unknown as { again: boolean; revokedAt: number };
    return [answer.status, again, revokedAt];
  };
  const [status, again, revokedAt] = await revoke();
  assert.deepEqual([status, again, typeof revokedAt], [200, false, "number"]);
  assert.deepEqual(await revoke(), [200, true, revokedAt]);
});

test("rejects lists of approvals and grants for an unknown conversation", async () => {
  const { call } = createAsking([]);
  for (const list of ["approvals", "grants"]) {
    const { status, body } = await call("GET", `/v1/${list}?conversation=conv_none`);
    assert.deepEqual([status, body.error?.code], [404, "conversation_not_found"], list);
  }
});
