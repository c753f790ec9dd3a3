import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { systemClock } from "@capstan/core/host";
import { ScriptedModel } from "@capstan/core/testing";
import type { Store } from "@capstan/store";
import {
  migrate,
  owner,
  SqliteChanges,
  SqliteConnection,
  storeOnConnection,
  withMemoryStore,
} from "@capstan/store/testing";
import { begin, createRuns, requestOf, runIn, tool } from "../../testing/run-fixtures.ts";

/** A store in which the journal of one run cannot be read. */
function corrupt(store: Store, runId: string): Store {
  const refuse = async () => {
    throw new SyntaxError("Unexpected end of JSON input");
  };
  return {
    ...store,
    readChain: (query) => (query.runId === runId ? refuse() : store.readChain(query)),
  };
}

/** Creates two runs whose server then died. */
async function leftByAnother(store: Store): Promise<readonly string[]> {
  const never = Promise.withResolvers<never>().promise;
  const first = createRuns({ store, model: new ScriptedModel([() => never, () => never]) });
  const ids: string[] = [];
  for (const text of ["one", "two"]) {
    const { id } = await begin(first, requestOf(text));
    let run = await store.getRun({ owner, id });
    while (run?.lastSeq === 0) {
      await new Promise(setImmediate);
      run = await store.getRun({ owner, id });
    }
    ids.push(id);
  }
  return ids;
}

// Contract: durability-16
test("closes and reports a run whose rows cannot be read, and other runs continue", async () => {
  await withMemoryStore(async (store) => {
    const [bad, good] = (await leftByAnother(store)) as [string, string];
    const model = new ScriptedModel(["done"]);
    const runs = createRuns({ store: corrupt(store, bad), model });
    await runs.recover(await runs.listUnfinished());
    await runIn(store, good, "completed");
    const { result } = await runIn(store, bad, "failed");
    assert.equal(result?.error?.code, "interrupted");
    assert.match(
      result.error.message,
      /cannot be read, so it was closed.*end of JSON input.*db check/s,
    );
    const events = (await store.readEvents({ owner, runId: bad })) ?? [];
    assert.equal(events.filter(({ type }) => type === "chain.ended").length, 1);
    assert.equal(events.at(-1)?.type, "chain.ended");
    assert.deepEqual(await runs.listUnfinished(), []);
  });
});

// Contract: durability-16
test("closes a run and resets its variables if they are unreadable, and its conversation continues", async () => {
  const sql = new SqliteConnection(new DatabaseSync(":memory:"));
  migrate(sql, 1);
  const store = storeOnConnection(sql, systemClock);
  try {
    const tools = [tool("Look", () => "found")];
    const look = { calls: [{ name: "Look" }] };
    const before = createRuns({ store, model: new ScriptedModel([look, "done"]), tools });
    const parent = await begin(before, requestOf("one"));
    await runIn(store, parent.id, "completed");
    const never = Promise.withResolvers<never>().promise;
    const dying = createRuns({ store, model: new ScriptedModel([look, () => never]), tools });
    const { id } = await begin(dying, requestOf("two", { parentId: parent.id }));
    while (sql.run("UPDATE run_variables SET changes = '['") === 0) await new Promise(setImmediate);
    const model = new ScriptedModel(["done"]);
    const runs = createRuns({ store, model, tools });
    await runs.recover(await runs.listUnfinished());
    assert.equal((await runIn(store, id, "failed")).result?.error?.code, "interrupted");
    while (runs.load().claimedRuns > 0) await new Promise(setImmediate);
    assert.ok(runs.lines.some((line) => line.includes("variables have their initial values")));
    const kept = await store.readManifest({ owner, runId: id });
    assert.deepEqual(kept, await store.readManifest({ owner, runId: parent.id }));
    assert.ok(Object.keys(kept ?? {}).length > 0);
    const next = await begin(runs, requestOf("three", { parentId: id }));
    await runIn(store, next.id, "completed");
  } finally {
    await store.close();
  }
});

// Contract: durability-26
test("closes a run whose request cannot be read, and other runs continue", async () => {
  const sql = new SqliteConnection(new DatabaseSync(":memory:"));
  migrate(sql, 1);
  const store = storeOnConnection(sql, systemClock);
  try {
    const [bad, good] = (await leftByAnother(store)) as [string, string];
    const stored = sql.get<{ run_n: number; request: string }>(
      `SELECT run_n, json_set(request, '$.version', 9) AS request FROM run_requests
       WHERE run_n = (SELECT n FROM runs WHERE id = ?)`,
      bad,
    );
    const { run_n = 0, request = "" } = stored ?? {};
    new SqliteChanges(sql).update("run_requests", { run_n }, { request });
    const runs = createRuns({ store, model: new ScriptedModel(["done"]) });
    await runs.recover(await runs.listUnfinished());
    await runIn(store, good, "completed");
    const { result } = await runIn(store, bad, "failed");
    assert.match(result?.error?.message ?? "", /request of run .* cannot be read.*`version`/s);
    assert.deepEqual(await runs.listUnfinished(), []);
  } finally {
    await store.close();
  }
});

test("claims a run before it reads it, so that the read includes earlier writes of another node", async () => {
  await withMemoryStore(async (store) => {
    const [id] = (await leftByAnother(store)) as [string, string];
    const model = new ScriptedModel(["done", "done"]);
    const order: string[] = [];
    const seen: Store = {
      ...store,
      write: (writes) => {
        if (writes.some((write) => write.type === "claim-run")) order.push("claim");
        return store.write(writes);
      },
      getRun: (query) => {
        if (query.id === id) order.push("read");
        return store.getRun(query);
      },
      readChain: (query) => {
        if (query.runId === id) order.push("read");
        return store.readChain(query);
      },
    };
    const runs = createRuns({ store: seen, model });
    const left = await runs.listUnfinished();
    await runs.recover(left.filter((run) => run.id === id));
    await runIn(store, id, "completed");
    assert.equal(order[0], "claim");
    assert.ok(order.includes("read"));
  });
});
