import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { systemClock } from "@capstan/core/host";
import { planPrune, prune } from "../src/upkeep/prune.ts";
import { migrate } from "../src/sqlite/migrate.ts";
import { storeOnConnection } from "../src/sqlite/open-store.ts";
import { SqliteConnection } from "../src/sqlite/sqlite-connection.ts";
import type { Store } from "../src/live/store.ts";
import { callRecord, commit, createRun, owner, resultOf } from "../src/testing/store-fixtures.ts";

/**
 * Three ended runs, each with a call of unknown outcome. The calls of the second run are invalid
 * JSON.
 */
async function withDamage(use: (store: Store) => Promise<void>): Promise<void> {
  const sql = new SqliteConnection(new DatabaseSync(":memory:"));
  migrate(sql, 1);
  const store = storeOnConnection(sql, systemClock);
  try {
    for (const id of ["first", "corrupt", "last"]) {
      await createRun(store, { id });
      const status = id === "last" ? "succeeded" : "outcome_unknown";
      const call = { ...callRecord(`call of ${id}`, { status }), toolId: "boats.Find" };
      await commit(store, id, [{ type: "call", call }, resultOf("completed")]);
    }
    sql.run(
      `UPDATE run_journal SET calls = substr(calls, 1, length(calls) - 2)
       WHERE calls IS NOT NULL AND run_n = (SELECT n FROM runs WHERE id = 'corrupt')`,
    );
    await use(store);
  } finally {
    await store.close();
  }
}

test("a group's last calls are listed without those of a corrupt run, which is named", async () => {
  await withDamage(async (store) => {
    const { calls, unreadable } = await store.listCalls({ owner, group: "boats", limit: 10 });
    assert.deepEqual(
      calls.map(({ runId }) => runId),
      ["last", "first"],
    );
    assert.deepEqual(unreadable, ["corrupt"]);
  });
});

test("old data is deleted except for a corrupt run, and the report says why it stays", async () => {
  await withDamage(async (store) => {
    const rules = { retention: { days: 1 }, now: Date.now() + 2 * 24 * 60 * 60 * 1_000 };
    const held = { unknown_outcome: 1, unreadable: 1 };
    const [planned] = await planPrune({ reader: store, ...rules });
    assert.deepEqual([planned?.runs, planned?.held], [1, held]);
    const [pruned] = await prune({ store, ...rules });
    assert.deepEqual([pruned?.runs, pruned?.held], [1, held]);
    assert.equal(await store.getRun({ owner, id: "last" }), undefined);
    // It can be deleted by its id.
    const [outcome] = await store.write([{ type: "delete-run", owner, id: "corrupt" }]);
    assert.equal(outcome.status, "deleted");
  });
});

test("a search for unknown outcomes includes a run whose calls are unreadable", async () => {
  await withDamage(async (store) => {
    const { data } = await store.searchRuns({ owner, outcome: "unknown" });
    assert.deepEqual(
      data.map(({ id }) => id),
      ["corrupt", "first"],
    );
  });
});
