import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { findPostgres, testServer } from "../src/testing/postgres-server.ts";
import { createRun, resultOf } from "../src/testing/store-fixtures.ts";
import { openPostgresStore } from "../src/postgres/open-postgres-store.ts";

const postgres = findPostgres();
const options = { skip: postgres.status === "missing" && postgres.reason };

/** Updated rows without an index update: both versions are on one page. */
const pages =
  "SELECT run_n, (ctid::text::point)[0] AS page FROM run_results WHERE result LIKE $1 ORDER BY run_n";

test("the update of a result's row stays on its page and updates no index", options, async () => {
  const connectionString = await (await testServer()).newDatabase();
  const store = await openPostgresStore({ connectionString });
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const runs = Array.from({ length: 60 }, (_, index) => `r${index}`);
    for (const id of runs) await createRun(store, { id });
    const write = async (status: "requires_action" | "completed", epoch: number) => {
      const writes = [resultOf(status)];
      for (const runId of runs) await store.write([{ type: "journal", runId, epoch, writes }]);
    };
    await write("requires_action", 1);
    const before = (await client.query(pages, ["%requires_action%"])).rows;
    for (const runId of runs) await store.write([{ type: "claim-run", runId }]);
    await write("completed", 2);
    const after = (await client.query(pages, ["%completed%"])).rows;
    assert.equal(after.length, runs.length);
    assert.deepEqual(after, before);
  } finally {
    await client.end();
    await store.close();
  }
});
