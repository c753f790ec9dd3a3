import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { systemClock } from "@capstan/core/base";
import {
  approvalRequest,
  commit,
  createRun,
  event,
  grantOf,
  migrate,
  owner,
  SqliteConnection,
  storeOnConnection,
} from "@capstan/store/testing";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp } from "../testing/app-fixtures.ts";

// Contract: durability-56
test("lists show a corrupt run as corrupt and continue after it", async () => {
  const sql = new SqliteConnection(new DatabaseSync(":memory:"));
  migrate(sql, 1);
  const store = storeOnConnection(sql, systemClock);
  const { call } = createTestApp({ model: new ScriptedModel(["a", "b", "c"]), store });
  const { id: conversation } = (await call("POST", "/v1/conversations", {})).body;
  const ids: string[] = [];
  for (const input of ["one", "two", "three"])
    ids.push((await call("POST", "/v1/responses", { input, conversation })).body.id);
  const [first, second, third] = ids;
  const damage = (table: string, column: string) =>
    sql.run(
      `UPDATE ${table} SET ${column} = '[' WHERE run_n = (SELECT n FROM runs WHERE id = ?)
       AND ${column} IS NOT NULL`,
      second ?? "",
    );
  damage("run_results", "result");
  damage("run_requests", "input");
  damage("run_journal", "events");
  for (const [path, order] of [
    ["/v1/runs", [third, second, first]],
    [`/v1/conversations/${conversation}/runs`, [first, second, third]],
  ] as const) {
    const { status, body } = await call("GET", path);
    assert.equal(status, 200);
    const runs = body.data as unknown as { id: string; error: { code: string } | null }[];
    assert.deepEqual(
      runs.map(({ id }) => id),
      order,
    );
    assert.deepEqual(
      runs.map(({ error }) => error?.code ?? null),
      [null, "run_corrupt", null],
    );
  }
});

// Contract: durability-57
test("lists include corrupt conversations and grants as corrupt entries, and a corrupt rule denies all calls", async () => {
  const sql = new SqliteConnection(new DatabaseSync(":memory:"));
  migrate(sql, 1);
  const store = storeOnConnection(sql, systemClock);
  const { call } = createTestApp({ model: new ScriptedModel([]), store });
  const { id: first } = (await call("POST", "/v1/conversations", { title: "one" })).body;
  const { id: second } = (await call("POST", "/v1/conversations", { title: "two" })).body;
  const grant = grantOf("g", { scope: "always" });
  await store.write([{ type: "create-grant", owner, sessionId: null, grant }]);
  const denied = { tool: "*", execution: "ask-always" };
  const { id: rule } = (await call("PUT", "/v1/overrides", denied)).body;
  sql.run("UPDATE conversations SET title = 'other' WHERE id = ?", first);
  sql.run("UPDATE grants SET data = replace(data, 'allow', 'refuse')");
  sql.run("UPDATE overrides SET rule = replace(rule, 'ask-always', 'auto')");

  const list = async (path: string) => {
    const { status, body } = await call("GET", path);
    assert.equal(status, 200);
    return body.data as unknown as { id: string; object: string; error?: { code: string } }[];
  };
  const listed = await list("/v1/conversations");
  assert.deepEqual(
    new Map(listed.map(({ id, object }) => [id, object])),
    new Map([
      [first, "corrupt"],
      [second, "conversation"],
    ]),
  );
  const [corrupt] = await list("/v1/grants");
  assert.deepEqual([corrupt?.id, corrupt?.error?.code], ["g", "entry_corrupt"]);
  const [override] = await list("/v1/overrides");
  assert.partialDeepStrictEqual(override, { id: rule, execution: "deny", corrupt: true });
  assert.equal((await call("DELETE", `/v1/conversations/${first}`)).status, 200);
  assert.equal((await call("DELETE", `/v1/overrides/${rule}`)).status, 200);
  assert.equal((await list("/v1/conversations")).length, 1);
});

test("a corrupt value of a variable is not shown, but the other variables are", async () => {
  const sql = new SqliteConnection(new DatabaseSync(":memory:"));
  migrate(sql, 1);
  const store = storeOnConnection(sql, systemClock);
  const { call } = createTestApp({ model: new ScriptedModel([]), store });
  const { id } = (await call("POST", "/v1/conversations", { title: "one" })).body;
  const path = `/v1/conversations/${id}/variables`;
  for (const name of ["good", "bad"])
    await call("PUT", `${path}/${name}`, { text: `${name} `.repeat(400) });
  sql.run(
    "UPDATE variable_values SET value = replace(value, 'bad', 'sad') WHERE value LIKE '%bad%'",
  );
  // A new app has no cached run, so it reads the run from the store.
  const { call: afterRestart } = createTestApp({ model: new ScriptedModel([]), store });
  const { status, body } = await afterRestart("GET", path);
  assert.equal(status, 200);
  const names = (body.data as unknown as { name: string }[]).map(({ name }) => name);
  assert.equal(names.includes("good"), true);
  assert.equal(names.includes("bad"), false);
  const read = await afterRestart("GET", `${path}/bad`);
  const { error } = read.body as unknown as { error: { code: string; message: string } };
  assert.deepEqual([read.status, error.code], [409, "entry_corrupt"]);
  assert.match(error.message, /variable "bad"/);
  assert.equal((await afterRestart("PUT", `${path}/bad`, { text: "new" })).status, 200);
  assert.partialDeepStrictEqual(await afterRestart("GET", `${path}/bad`), {
    status: 200,
    body: { text: "new" },
  });
});

// Contract: durability-57
test("lists can start after a corrupt entry or be filtered by one, and a corrupt grant can be revoked", async () => {
  const sql = new SqliteConnection(new DatabaseSync(":memory:"));
  migrate(sql, 1);
  const store = storeOnConnection(sql, systemClock);
  const { call } = createTestApp({ model: new ScriptedModel(["a", "b"]), store });
  const { id: conversation } = (await call("POST", "/v1/conversations", { title: "one" })).body;
  await createRun(store, { id: "waiting", conversationId: conversation });
  for (const id of ["first", "second"]) {
    const approval = { ...approvalRequest(id), createdAt: id === "first" ? 1 : 2 };
    const requested = { type: "approval.requested", callId: approval.callId, approval } as const;
    await commit(store, "waiting", [event(requested)]);
  }
  const { id: run } = (await call("POST", "/v1/responses", { input: "a", conversation })).body;
  const { id: other } = (await call("POST", "/v1/responses", { input: "b" })).body;
  for (const id of ["g", "h"]) {
    const grant = grantOf(id, { scope: "session" });
    await store.write([{ type: "create-grant", owner, sessionId: run, grant }]);
  }
  sql.run("UPDATE conversations SET title = 'other'");
  sql.run("UPDATE runs SET model = model || 'x' WHERE id = ?", other);
  sql.run("UPDATE approvals SET request = replace(request, '{', '{ ') WHERE id = 'second'");
  sql.run("UPDATE grants SET data = replace(data, 'allow', 'refuse') WHERE id = 'g'");

  const list = async (path: string) => {
    const { status, body } = await call("GET", path);
    assert.equal(status, 200, path);
    return body.data.map(({ id }) => id);
  };
  const ofConversation = `conversation=${conversation}`;
  assert.deepEqual(await list(`/v1/approvals?${ofConversation}`), ["second", "first"]);
  assert.deepEqual(await list("/v1/approvals?after=second"), ["first"]);
  assert.deepEqual(await list(`/v1/runs?after=${other}`), [run, "waiting"]);
  assert.deepEqual(await list(`/v1/conversations/${conversation}/runs`), ["waiting", run]);
  assert.deepEqual((await list(`/v1/grants?${ofConversation}`)).toSorted(), ["g", "h"]);
  const [revoked, again] = [
    await call("DELETE", "/v1/grants/g"),
    await call("DELETE", "/v1/grants/g"),
  ];
  assert.deepEqual([revoked.status, again.status], [200, 200]);
  assert.partialDeepStrictEqual(again.body, { ...revoked.body, again: true });
  assert.deepEqual(await list("/v1/grants"), ["h"]);
});

// Contract: durability-57
test("a list shows unreadable variables as one corrupt entry", async () => {
  for (const damage of [
    "UPDATE manifests SET entries = replace(entries, 'good', 'evil')",
    "UPDATE runs SET model = 'other'",
    "UPDATE conversations SET title = 'other'",
  ]) {
    const sql = new SqliteConnection(new DatabaseSync(":memory:"));
    migrate(sql, 1);
    const store = storeOnConnection(sql, systemClock);
    const { call } = createTestApp({ model: new ScriptedModel(["a"]), store });
    const { id } = (await call("POST", "/v1/conversations", {})).body;
    const path = `/v1/conversations/${id}/variables`;
    await call("PUT", `${path}/first`, { text: "good" });
    await call("POST", "/v1/responses", { input: "a", conversation: id });
    await call("PUT", `${path}/second`, { text: "good" });
    assert.ok(sql.run(damage) > 0, damage);
    // A new app has no cached run, so it reads the run from the store.
    const { call: afterRestart } = createTestApp({ model: new ScriptedModel([]), store });
    const { status, body } = await afterRestart("GET", path);
    assert.equal(status, 200, damage);
    const entries = body.data as unknown as { object: string; error: { code: string } }[];
    assert.deepEqual(
      entries.map(({ object, error }) => [object, error.code]),
      [["corrupt", "entry_corrupt"]],
    );
    for (const [method, given] of [["GET"], ["PUT", { text: "new" }], ["DELETE"]] as const) {
      const { status, body } = await afterRestart(method, `${path}/first`, given);
      const { error } = body as unknown as { error: { code: string; message: string } };
      assert.deepEqual([status, error.code], [409, "entry_corrupt"], `${damage} ${method}`);
      assert.match(error.message, /variable "first"/);
    }
  }
});

// Contract: durability-57
test("a list shows a corrupt variable as a corrupt entry, and other variables as usual", async () => {
  const sql = new SqliteConnection(new DatabaseSync(":memory:"));
  migrate(sql, 1);
  const store = storeOnConnection(sql, systemClock);
  const { call } = createTestApp({ model: new ScriptedModel([]), store });
  const { id } = (await call("POST", "/v1/conversations", {})).body;
  const path = `/v1/conversations/${id}/variables`;
  for (const name of ["good", "bad"])
    await call("PUT", `${path}/${name}`, { text: name.repeat(2_000) });
  sql.run("UPDATE variable_values SET value = replace(value, 'badbad', 'xadbad')");
  // A new process, because this one has the values in memory.
  const { call: later } = createTestApp({ model: new ScriptedModel([]), store });
  const { status, body } = await later("GET", path);
  assert.equal(status, 200);
  const entries = body.data as unknown as { id?: string; name?: string; object: string }[];
  const kinds = entries.map((entry) => [entry.name ?? entry.id, entry.object]);
  assert.deepEqual(
    kinds.filter(([name]) => name === "good" || name === "bad"),
    [
      ["good", "variable"],
      ["bad", "corrupt"],
    ],
  );
});

test("a run whose events are corrupt answers with an error before its stream starts", async () => {
  const sql = new SqliteConnection(new DatabaseSync(":memory:"));
  migrate(sql, 1);
  const store = storeOnConnection(sql, systemClock);
  const { call } = createTestApp({ model: new ScriptedModel(["a"]), store });
  const { id } = (await call("POST", "/v1/responses", { input: "one" })).body;
  sql.run("UPDATE run_journal SET events = '[' WHERE events IS NOT NULL");
  const { status, body } = await call("GET", `/v1/runs/${id}/events`);
  assert.equal(status, 500);
  assert.equal(body.error?.code, "database_corrupt");
});
