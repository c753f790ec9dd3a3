import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { Store } from "../src/live/store.ts";
import { migrate } from "../src/sqlite/migrate.ts";
import { storeOnConnection } from "../src/sqlite/open-store.ts";
import { SqliteConnection } from "../src/sqlite/sqlite-connection.ts";
import {
  approvalRequest,
  callRecord,
  commit,
  createRun,
  delta,
  end,
  event,
  grantOf,
  owner,
  resultOf,
  settableClock,
  start,
  variableOf,
} from "../src/testing/store-fixtures.ts";

const corrupt = { code: "database_corrupt" };
const corruptEntry = (id: string) => ({ id, isCorrupt: true });

/** A store, and a function that changes a cell without the store. */
async function withDamage(
  use: (
    store: Store,
    damage: (table: string, column: string, where: string) => void,
    clock: ReturnType<typeof settableClock>,
  ) => Promise<void>,
): Promise<void> {
  const sql = new SqliteConnection(new DatabaseSync(":memory:"));
  migrate(sql, 0);
  const clock = settableClock();
  const store = storeOnConnection(sql, clock);
  try {
    await use(
      store,
      (table, column, where) => {
        const changed = `UPDATE ${table} SET ${column} = replace(${column}, 'good', 'evil')
        WHERE ${column} LIKE '%good%' AND ${where}`;
        assert.equal(sql.run(changed), 1);
      },
      clock,
    );
  } finally {
    await store.close();
  }
}

test("a corrupt conversation is listed as corrupt, the others are unaffected, and it can be deleted", async () => {
  await withDamage(async (store, damage) => {
    const switches = { groups: {}, tools: {} };
    const create = { type: "create-conversation", owner, metadata: {}, switches } as const;
    for (const id of ["a", "b", "c"]) await store.write([{ ...create, id, title: `good ${id}` }]);
    damage("conversations", "title", "id = 'b'");
    const { data } = await store.listConversations({ owner });
    assert.deepEqual(
      new Set(data.map((each) => ("isCorrupt" in each ? each : each.title))),
      new Set([corruptEntry("b"), "good a", "good c"]),
    );
    await assert.rejects(store.getConversation({ owner, id: "b" }), corrupt);
    await store.write([{ type: "delete-conversation", owner, id: "b" }]);
    assert.equal((await store.listConversations({ owner })).data.length, 2);
  });
});

// Contract: durability-57
test("a corrupt grant allows nothing, and is listed as corrupt", async () => {
  await withDamage(async (store, damage) => {
    const grant = (id: string) => grantOf(id, { scope: "always", title: "good" });
    for (const id of ["a", "b"])
      await store.write([{ type: "create-grant", owner, sessionId: null, grant: grant(id) }]);
    damage("grants", "data", "id = 'a'");
    const { data } = await store.listGrants({ owner });
    assert.deepEqual(
      data.map((each) => ("isCorrupt" in each ? each : each.grant.id)),
      ["b", { ...corruptEntry("a"), createdSeq: 1_000 }],
    );
    const inForce = await store.readGrants({ owner, sessionId: "s" });
    assert.deepEqual(
      inForce.map(({ id }) => id),
      ["b"],
    );
  });
});

test("a corrupt agent is listed without its content until it is deleted or written again", async () => {
  await withDamage(async (store, damage) => {
    const write = { type: "save-agent", owner, name: "a", agent: { title: "good" } } as const;
    await store.write([{ ...write, isNew: true }]);
    damage("agents", "agent", "TRUE");
    assert.deepEqual(await store.listAgents({ owner }), [{ id: "a", isCorrupt: true }]);
    await assert.rejects(store.getAgent({ owner, name: "a" }), { code: "database_corrupt" });
    await store.write([{ ...write, isNew: false }]);
    assert.deepEqual((await store.getAgent({ owner, name: "a" }))?.agent, { title: "good" });
    damage("agents", "agent", "TRUE");
    await store.write([{ type: "delete-agent", owner, name: "a" }]);
    assert.deepEqual(await store.listAgents({ owner }), []);
  });
});

test("a corrupt rule of a user denies all calls until it is removed or written again", async () => {
  await withDamage(async (store, damage) => {
    const change = { execution: "ask-always", reason: "good" } as const;
    const write = { type: "change-override", owner, tool: "files.*", change } as const;
    const [made] = await store.write([write]);
    damage("overrides", "rule", "TRUE");
    const [override] = await store.listOverrides({ owner });
    assert.equal(override?.isCorrupt, true);
    assert.deepEqual([override?.rule.tool, override?.rule.execution], ["*", "deny"]);
    await store.write([write]);
    assert.equal((await store.listOverrides({ owner }))[0]?.isCorrupt, undefined);
    damage("overrides", "rule", "TRUE");
    await store.write([{ type: "reset-override", owner, id: "id" in made ? made.id : "" }]);
    assert.deepEqual(await store.listOverrides({ owner }), []);
  });
});

// Contract: durability-57
test("a corrupt approval is listed as corrupt, cannot be answered, and still expires", async () => {
  await withDamage(async (store, damage, clock) => {
    await createRun(store, { id: "r" });
    for (const id of ["a", "b"]) {
      const approval = { ...approvalRequest(id), reason: "good" };
      await commit(store, "r", [
        event({ type: "approval.requested", callId: approval.callId, approval }),
      ]);
    }
    damage("approvals", "request", "id = 'a'");
    const { data } = await store.listApprovals({ owner });
    const shown = data.map((each) => ("isCorrupt" in each ? "corrupt" : each.status));
    assert.deepEqual(shown.toSorted(), ["corrupt", "pending"]);
    await assert.rejects(store.getApproval({ owner, id: "a" }), corrupt);
    const answer = { decision: "allow", scope: "once" } as const;
    const answering = store.write([{ type: "answer-approval", owner, id: "a", answer }]);
    await assert.rejects(answering, corrupt);
    clock.set(10_000);
    await store.write([{ type: "expire-approvals" }]);
    assert.deepEqual((await store.listApprovals({ owner, status: "pending" })).data, []);
  });
});

// Contract: durability-58
test("corrupt events, messages, calls and deltas are not read, but those of other runs are", async () => {
  await withDamage(async (store, damage) => {
    for (const id of ["a", "b"]) {
      await createRun(store, { id });
      await commit(store, id, [
        start("i"),
        end("i", "good"),
        event({ type: "run.heartbeat", at: 1 }),
      ]);
      await commit(store, id, [start("open"), delta("open", "good")]);
    }
    const query = (runId: string) => ({ owner, runId });
    damage("tail", "delta", "run_n = 1");
    await assert.rejects(store.readEvents(query("a")), corrupt);
    damage("run_journal", "events", "run_n = 2");
    await assert.rejects(store.readEvents(query("b")), corrupt);
    await assert.rejects(store.readEventsCompact(query("b")), corrupt);
    assert.equal((await store.searchRuns({ owner })).data.length, 2);
  });
});

test("a corrupt run, request or result is listed as corrupt, and reading it alone fails", async () => {
  await withDamage(async (store, damage) => {
    for (const id of ["a", "b", "c", "d"]) {
      await createRun(store, { id, model: "good", input: ["good"] });
      const { type, result } = resultOf("completed");
      await commit(store, id, [{ type, result: { ...result, answer: "good" } }]);
    }
    damage("runs", "model", "id = 'a'");
    damage("run_requests", "input", "run_n = 2");
    damage("run_results", "result", "run_n = 3");
    const { data } = await store.searchRuns({ owner });
    assert.deepEqual(
      data.filter(({ isCorrupt }) => isCorrupt === true).map(({ id }) => id),
      ["c", "b", "a"],
    );
    for (const id of ["a", "b", "c"]) await assert.rejects(store.getRun({ owner, id }), corrupt);
    assert.equal((await store.getRun({ owner, id: "d" }))?.model, "good");
  });
});

// Contract: durability-58
test("corrupt manifests, changes and values of variables are not read", async () => {
  await withDamage(async (store, damage) => {
    const long = variableOf("long", "good ".repeat(400));
    const small = variableOf("small", "good");
    for (const id of ["a", "b"]) {
      await createRun(store, { id });
      await commit(
        store,
        id,
        [long, small].map((variable) => ({ type: "variable", change: { type: "set", variable } })),
      );
    }
    await commit(store, "b", [resultOf("completed")]);
    damage("variable_values", "value", "session_id = 'a'");
    const read = await store.readVariables({ owner, runId: "a" });
    assert.deepEqual(Object.keys(read?.manifest ?? {}), ["long", "small"]);
    assert.deepEqual(read?.values, {});
    damage("run_variables", "changes", "run_n = 1");
    await assert.rejects(store.readManifest({ owner, runId: "a" }), corrupt);
    damage("manifests", "entries", "session_id = 'b'");
    await assert.rejects(store.readManifest({ owner, runId: "b" }), corrupt);
  });
});

// Contract: durability-58
test("corrupt messages, calls, items and client outputs are not read, but those of other runs are", async () => {
  await withDamage(async (store, damage) => {
    const runs = ["messages", "calls", "items", "outputs", "whole"];
    const item = (id: string) => ({ id: `item of ${id}`, callId: `call of ${id}`, item: "good" });
    for (const id of runs) {
      await createRun(store, { id });
      const call = callRecord(`call of ${id}`, { owner: "client", status: "waiting" });
      const message = { role: "assistant", content: "good" } as const;
      await commit(store, id, [
        { type: "message", round: 1, message },
        { type: "call", call: { ...call, argumentsText: "good" } },
      ]);
      await store.write([
        { type: "save-items", runId: id, direction: "output", items: [item(id)] },
        {
          type: "submit-outputs",
          owner,
          runId: id,
          outputs: [{ callId: call.callId, output: "good" }],
        },
      ]);
    }
    const n = (id: string) => `run_n = ${runs.indexOf(id) + 1}`;
    damage("run_journal", "messages", n("messages"));
    damage("run_journal", "calls", n("calls"));
    damage("items", "item", n("items"));
    damage("client_outputs", "output", n("outputs"));
    const reads = (runId: string) => [
      store.readMessages({ owner, runId }),
      store.readCalls({ owner, runId }),
      store.getItem({ owner, id: `item of ${runId}` }),
      store.listOutputs({ owner, runId }),
    ];
    for (const runId of ["messages", "calls", "items", "outputs"])
      await assert.rejects(Promise.all(reads(runId)), corrupt, runId);
    assert.equal((await Promise.all(reads("whole"))).includes(undefined), false);
    assert.equal((await store.searchRuns({ owner })).data.length, runs.length);
  });
});

test("corrupt rows of vector stores hide no others, and a corrupt store can be deleted", async () => {
  await withDamage(async (store, damage) => {
    const save = (id: string, name: string) =>
      ({ type: "save-vector-store", owner, id, data: { name }, isNew: true }) as const;
    await store.write([save("a", "x"), save("b", "good"), save("c", "x")]);
    damage("search_objects", "data", "id = 'b'");
    const list = (limit: number) =>
      store
        .listSearchObjects({ owner, order: "asc", limit })
        .then((all) => all.map(({ id }) => id));
    assert.deepEqual(await list(9), ["a", "c"]);
    assert.deepEqual(await list(2), ["a", "c"], "a page is full in spite of a corrupt row");
    await assert.rejects(store.getSearchObject({ owner, id: "b" }), corrupt);
    const [deleted] = await store.write([{ type: "delete-vector-store", owner, id: "b" }]);
    assert.equal(deleted.status, "removed");
    assert.equal(await store.getSearchObject({ owner, id: "b" }), undefined);
  });
});

test("a grant shows no conversation from a corrupt run", async () => {
  await withDamage(async (store, damage) => {
    const switches = { groups: {}, tools: {} };
    const conversation = { type: "create-conversation", owner, id: "good", title: "" } as const;
    await store.write([{ ...conversation, metadata: {}, switches }]);
    await createRun(store, { id: "r", conversationId: "good" });
    await commit(store, "r", [{ type: "grant", grant: grantOf("g") }]);
    const shown = async () =>
      (await store.listGrants({ owner })).data.map((each) =>
        "isCorrupt" in each ? "corrupt" : each.conversationId,
      );
    assert.deepEqual(await shown(), ["good"]);
    damage("runs", "conversation_id", "id = 'r'");
    assert.deepEqual(await shown(), [null]);
  });
});
