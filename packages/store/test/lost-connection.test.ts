import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { followEvents } from "../src/live/follow-events.ts";
import { withTwoNodes } from "../src/testing/every-store.ts";
import { findPostgres, startPostgres, testServer } from "../src/testing/postgres-server.ts";
import { commit, createRun, event, owner, resultOf } from "../src/testing/store-fixtures.ts";
import { openPostgresStore } from "../src/postgres/open-postgres-store.ts";

const postgres = findPostgres();
const options = { skip: postgres.status === "missing" && postgres.reason };
const note = event({ type: "run.heartbeat", at: 1 });

/** Terminates all connections of stores with the given schema, as an administrator can. */
async function cutConnections(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'capstan %'",
  );
  await client.end();
}

// Contract: durability-36
test(
  "connections that are cut again and again lose nothing and write nothing twice",
  options,
  async () => {
    const connectionString = await (await testServer()).newDatabase();
    const store = await openPostgresStore({ connectionString, connections: 2 });
    try {
      await createRun(store, { id: "r" });
      const written: number[] = [];
      for (let n = 0; n < 60; n++) {
        const cut = n % 6 === 0 ? cutConnections(connectionString) : undefined;
        const events = await commit(store, "r", [note]);
        written.push(...events.map(({ seq }) => seq));
        await cut;
      }
      const expected = Array.from({ length: 60 }, (_, index) => index + 1);
      assert.deepEqual(written, expected);
      const events = await store.readEvents({ owner, runId: "r" });
      assert.deepEqual(
        events?.map(({ seq }) => seq),
        expected,
      );
    } finally {
      await store.close();
    }
  },
);

// Contract: durability-37
test(
  "writes wait for a database that restarts, and a reader that follows a run misses nothing",
  options,
  async () => {
    await withTwoNodes(async (one, other) => {
      await createRun(one, { id: "r" });
      const reading = Array.fromAsync(followEvents({ store: other, owner, runId: "r" }));
      const context = (async () => {
        for (let n = 0; n < 40; n++) await commit(one, "r", [note]);
      })();
      await (await testServer()).restart();
      await context;
      await commit(one, "r", [resultOf("completed")]);
      assert.deepEqual(
        (await reading).map(({ seq }) => seq),
        Array.from({ length: 40 }, (_, index) => index + 1),
      );
    });
  },
);

test("a store closes even if the database is gone for good", options, async () => {
  const server = await startPostgres();
  const connectionString = await server.newDatabase();
  const store = await openPostgresStore({ connectionString, connections: 2 });
  server.stop();
  // A connection that remains would reconnect repeatedly and keep the process running.
  await store.close();
});
