import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { migrations } from "../schema/migrations.ts";
import { findPostgres, testServer } from "../testing/postgres-server.ts";
import { inspectPostgres } from "./inspect-postgres.ts";
import { openPostgresStore } from "./open-postgres-store.ts";

const postgres = findPostgres();
const options = { skip: postgres.status === "missing" && postgres.reason };
const newest = migrations.at(-1)?.version ?? 0;

async function query(connectionString: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<object>(text)).rows;
  } finally {
    await client.end();
  }
}

test(
  "an inspection of an empty database reports its version and location, and creates nothing",
  options,
  async () => {
    const database = await (await testServer()).newDatabase();
    const { status, detail, fix } = await inspectPostgres(database);
    assert.match(
      detail,
      /^PostgreSQL \d+\.\d+.* at .*\/postgres, no tables yet: the first start creates them/,
    );
    // The tests' own server does not wait for its disk.
    assert.equal(status, "wrong");
    assert.match(detail, /fsync is off/);
    assert.match(fix ?? "", /^ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf\(\);$/);
    assert.deepEqual(await query(database, "SELECT to_regclass('schema_migrations') AS made"), [
      { made: null },
    ]);
  },
);

test(
  "an inspection reports the schema number of a database, and what to do about a newer one",
  options,
  async () => {
    const database = await (await testServer()).newDatabase();
    await (await openPostgresStore({ connectionString: database })).close();
    assert.match((await inspectPostgres(database)).detail, new RegExp(`, schema ${newest}\\.`));
    await query(database, "DELETE FROM schema_migrations WHERE version > 1");
    assert.match(
      (await inspectPostgres(database)).detail,
      new RegExp(`, schema 1: the next start brings it to ${newest}`),
    );
    await query(database, "INSERT INTO schema_migrations VALUES (999, 0)");
    const { detail, fix } = await inspectPostgres(database);
    assert.match(detail, /schema 999, .* A newer version of Capstan/);
    assert.match(fix ?? "", /Start the newer version/);
  },
);

test(
  "an inspection reports a missing schema, and a schema in which the user is not allowed to create tables",
  options,
  async () => {
    const server = await testServer();
    const database = await server.newDatabase();
    const nowhere = await inspectPostgres(database.replace(/test_\d+/, "not_there"));
    assert.match(`${nowhere.detail} ${nowhere.fix}`, /search_path does not exist.*CREATE SCHEMA/);
    const schema = database.match(/test_\d+/)?.[0] ?? "";
    await query(database, `GRANT USAGE ON SCHEMA ${schema} TO locked`);
    const locked = database.replace("capstan@", "locked:right@");
    const { detail, fix } = await inspectPostgres(locked);
    assert.match(detail, new RegExp(`may not create tables in the schema ${schema}`));
    assert.match(fix ?? "", new RegExp(`GRANT CREATE ON SCHEMA ${schema} `));
  },
);

test(
  "an inspection says what to do about an unreachable database, and never shows the password",
  options,
  async () => {
    const server = await testServer();
    const cases = [
      [server.lockedAddress("secret-word"), /the user and the password of the address/],
      ["postgres://a:secret-word@127.0.0.1:1/x", /127\.0\.0\.1:1\/x.*Check that PostgreSQL runs/],
      ["postgres://a:secret-word@[", /should be like postgres:/],
    ] as const;
    for (const [address, expected] of cases) {
      const { status, detail, fix } = await inspectPostgres(address);
      assert.equal(status, "wrong");
      assert.match(detail, expected);
      assert.doesNotMatch(`${detail} ${fix}`, /secret-word/);
    }
  },
);
