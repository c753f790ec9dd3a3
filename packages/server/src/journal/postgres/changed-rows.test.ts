import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { findPostgres, testServer } from "../testing/postgres-server.ts";
import { callRecord, commit, createRun } from "../testing/store-fixtures.ts";
import { openPostgresStore } from "./open-postgres-store.ts";

const postgres = findPostgres();
const options = { skip: postgres.status === "missing" && postgres.reason };

/** Rows that no index was told of: both copies are on one page. */
const pages =
  "SELECT call_id, (ctid::text::point)[0] AS page FROM run_calls WHERE status = $1 ORDER BY n";

test("a call's row changes beside where it was, so that no index is told", options, async () => {
  const connectionString = await (await testServer()).newDatabase();
  const store = await openPostgresStore({ connectionString });
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await createRun(store, { id: "r" });
    const calls = Array.from({ length: 200 }, (_, index) => `call_${index}`);
    const write = (status: "started" | "waiting") =>
      commit(
        store,
        "r",
        calls.map((id) => ({ type: "call", call: callRecord(id, { status }) })),
      );
    await write("started");
    const before = (await client.query(pages, ["started"])).rows;
    await write("waiting");
    const after = (await client.query(pages, ["waiting"])).rows;
    assert.equal(after.length, calls.length);
    assert.deepEqual(after, before);
  } finally {
    await client.end();
    await store.close();
  }
});
