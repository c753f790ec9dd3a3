import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { findPostgres, testServer } from "../testing/postgres-server.ts";
import { clientConfig } from "./wire/connection.ts";
import { migratePostgres } from "./migrate-postgres.ts";
import { openPostgresStore } from "./open-postgres-store.ts";

const postgres = findPostgres();
const options = { skip: postgres.status === "missing" && postgres.reason };

async function withClient<T>(
  connectionString: string,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client(clientConfig({ connectionString, applicationName: "test" }));
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

// Contract: durability-70
test(
  "for a wrong password, a missing database and an unreachable server the error says what to do, without the password",
  options,
  async () => {
    const server = await testServer();
    const wrong = server.lockedAddress("secret-word");
    const missing = (await server.newDatabase()).replace("/postgres?", "/nowhere?");
    const unreachable = "postgres://capstan:secret-word@127.0.0.1:1/postgres";
    const expected = [
      [wrong, "database_rejected", /the user and the password/],
      [missing, "database_missing", /Create the database/],
      [unreachable, "database_unreachable", /127\.0\.0\.1:1\/postgres.*Check that PostgreSQL runs/],
      ["postgres://a:secret-word@[", "database_address", /postgres:\/\/user:password@host/],
    ] as const;
    for (const [connectionString, code, message] of expected) {
      await assert.rejects(openPostgresStore({ connectionString }), (error: Error) => {
        assert.equal((error as Error & { code: string }).code, code);
        assert.match(error.message, message);
        assert.doesNotMatch(`${error.message} ${String(error.cause)}`, /secret-word/);
        return true;
      });
    }
  },
);

// Contract: durability-64
test("does not change a database of a newer version", options, async () => {
  const connectionString = await (await testServer()).newDatabase();
  await (await openPostgresStore({ connectionString })).close();
  await withClient(connectionString, (client) =>
    client.query("INSERT INTO schema_migrations VALUES (999, 0)"),
  );
  await assert.rejects(openPostgresStore({ connectionString }), {
    code: "database_newer",
    message: /number 999/,
  });
});

// Contract: durability-62, durability-72
test("a failed step undoes all earlier steps", options, async () => {
  const connectionString = await (await testServer()).newDatabase();
  const good = { version: 1, statements: ["CREATE TABLE a (x TEXT)"] };
  const bad = { version: 2, statements: ["CREATE TABLE b (x TEXT)", "DROP TABLE none"] };
  await withClient(connectionString, async (client) => {
    await assert.rejects(migratePostgres(client, 1, [good, bad]), /does not exist/);
    const { rows } = await client.query<{ a: string | null; b: string | null }>(
      "SELECT to_regclass('a') AS a, to_regclass('b') AS b",
    );
    assert.deepEqual({ ...rows[0] }, { a: null, b: null });
  });
});

// Contract: durability-63
test("nodes that start at the same time create the schema once", options, async () => {
  const connectionString = await (await testServer()).newDatabase();
  const stores = await Promise.all(
    Array.from({ length: 4 }, () => openPostgresStore({ connectionString, connections: 1 })),
  );
  await Promise.all(stores.map((store) => store.close()));
});

test("closes all connections if the store cannot be opened", options, async () => {
  const connectionString = await (await testServer()).newDatabase();
  await (await openPostgresStore({ connectionString })).close();
  await withClient(connectionString, async (client) => {
    await client.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no'; END $$;
      CREATE TRIGGER refusing BEFORE INSERT ON nodes FOR EACH ROW EXECUTE FUNCTION refuse()`);
    await assert.rejects(openPostgresStore({ connectionString }), { code: "store_failed" });
    // The connection that was reading is closed without waiting.
    const { rows } = await client.query(`SELECT query FROM pg_stat_activity
      WHERE application_name LIKE 'capstan %' AND query NOT LIKE '%INTO nodes%'`);
    assert.deepEqual(rows, []);
  });
});
