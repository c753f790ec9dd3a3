import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { planStorePrune, readUsage } from "../upkeep/prune-store.ts";
import { migrations } from "../schema/migrations.ts";
import { findPostgres, testServer } from "../testing/postgres-server.ts";
import { commit, createRun, resultOf } from "../testing/store-fixtures.ts";
import { migratePostgres } from "./migrate-postgres.ts";
import { openPostgresStore } from "./open-postgres-store.ts";

const postgres = findPostgres();
const skip = postgres.status === "missing" && postgres.reason;

const retention = { days: 1, megabytes: 1 };

/** Checks that `look` changes no row of any table. */
async function assertUnchanged(
  connectionString: string,
  look: (location: { dataDir: string; databaseUrl: string }) => Promise<unknown>,
): Promise<void> {
  const before = await contents(connectionString);
  await look({ dataDir: "/nowhere", databaseUrl: connectionString });
  assert.deepEqual(await contents(connectionString), before);
}

async function contents(connectionString: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const tables = await client.query<{ name: string }>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1",
    );
    const rows = [];
    for (const { name } of tables.rows)
      rows.push([name, (await client.query(`SELECT * FROM ${name}`)).rows]);
    return rows;
  } finally {
    await client.end();
  }
}

test("usage and a plan read an existing store without changing it", { skip }, async () => {
  const connectionString = await (await testServer()).newDatabase();
  const store = await openPostgresStore({ connectionString, connections: 2 });
  try {
    await createRun(store, { id: "r" });
    await commit(store, "r", [resultOf("completed")]);
    await assertUnchanged(connectionString, async (location) => {
      assert.deepEqual((await readUsage(location)).users, await store.everyUsage());
      assert.deepEqual(await planStorePrune(location, { days: 365 }), []);
    });
  } finally {
    await store.close();
  }
});

test(
  "does not change a database of an older version, and the error says what to do first",
  { skip },
  async () => {
    const connectionString = await (await testServer()).newDatabase();
    const client = new pg.Client({ connectionString });
    await client.connect();
    await migratePostgres(client, 0, migrations.slice(0, -1)).finally(() => client.end());
    const older = { code: "database_older", message: /Start this version's server once/ };
    await assertUnchanged(connectionString, async (location) => {
      await assert.rejects(readUsage(location), older);
      await assert.rejects(planStorePrune(location, retention), older);
    });
  },
);

test(
  "creates no table in an empty database, and the error says that there is no store",
  { skip },
  async () => {
    const connectionString = await (await testServer()).newDatabase();
    await assertUnchanged(connectionString, async (location) => {
      await assert.rejects(readUsage(location), {
        code: "no_store",
        message: /CAPSTAN_DATABASE_URL/,
      });
      await assert.rejects(planStorePrune(location, retention), { code: "no_store" });
    });
  },
);
