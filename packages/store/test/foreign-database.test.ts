import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import pg from "pg";
import { readUsage } from "../src/upkeep/prune-store.ts";
import { backupStore, checkStore, vacuumStore } from "../src/upkeep/maintenance.ts";
import { inspectPostgres } from "../src/postgres/inspect-postgres.ts";
import { openPostgresStore } from "../src/postgres/open-postgres-store.ts";
import { openStore } from "../src/sqlite/open-store.ts";
import { findPostgres, testServer } from "../src/testing/postgres-server.ts";
import { withDataDir } from "../src/testing/store-fixtures.ts";

/**
 * Tables of other programs: a table with the name of a Capstan table, another list of migrations,
 * and both.
 */
const foreign = [
  "CREATE TABLE runs (x INTEGER)",
  "CREATE TABLE schema_migrations (version BIGINT, dirty BOOLEAN); INSERT INTO schema_migrations VALUES (20260101, false)",
  // Earlier versions left an empty list of migrations in databases that they rejected.
  "CREATE TABLE runs (x INTEGER); CREATE TABLE schema_migrations (version BIGINT PRIMARY KEY, applied_at BIGINT NOT NULL)",
] as const;

// Contract: durability-68
test("an SQLite file that belongs to another program is rejected and stays unchanged", async () => {
  for (const statements of foreign) {
    await withDataDir(async (dataDir) => {
      const path = join(dataDir, "capstan.db");
      const database = new DatabaseSync(path);
      database.exec(statements);
      database.close();
      const before = await readFile(path);
      const wishes = [
        () => openStore({ dataDir }),
        () => checkStore({ dataDir }),
        () => vacuumStore(dataDir),
        () => backupStore(dataDir, join(dataDir, "copy.db")),
        () => readUsage({ dataDir }),
      ];
      for (const wish of wishes)
        await assert.rejects(wish, {
          code: "database_foreign",
          message: /belongs to another program.*another data directory/,
        });
      assert.deepEqual(await readFile(path), before);
    });
  }
});

const postgres = findPostgres();
const skip = postgres.status === "missing" && postgres.reason;
const allColumns =
  "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1, 2";

// Contract: durability-68
test(
  "a PostgreSQL database that belongs to another program is rejected and stays unchanged",
  { skip },
  async () => {
    for (const statements of foreign) {
      const connectionString = await (await testServer()).newDatabase();
      const client = new pg.Client({ connectionString });
      await client.connect();
      try {
        await client.query(statements);
        const { rows: before } = await client.query<object>(allColumns);
        await assert.rejects(openPostgresStore({ connectionString }), {
          code: "database_foreign",
          message: /belongs to another program.*CAPSTAN_DATABASE_URL/,
        });
        assert.deepEqual((await client.query<object>(allColumns)).rows, before);
      } finally {
        await client.end();
      }
    }
  },
);

test(
  "if another program has its own list of migrations, usage and doctor report it, too",
  { skip },
  async () => {
    const connectionString = await (await testServer()).newDatabase();
    const client = new pg.Client({ connectionString });
    await client.connect();
    await client.query(foreign[1]).finally(() => client.end());
    const usage = readUsage({ dataDir: "/nowhere", databaseUrl: connectionString });
    await assert.rejects(usage, { code: "database_foreign" });
    const { status, detail } = await inspectPostgres(connectionString);
    assert.equal(status, "wrong");
    assert.match(detail, /belongs to another program/);
  },
);

test("tables with other names in a PostgreSQL database do not matter", { skip }, async () => {
  const connectionString = await (await testServer()).newDatabase();
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query("CREATE TABLE spatial_ref_sys (x INTEGER)").finally(() => client.end());
  await (await openPostgresStore({ connectionString })).close();
});
