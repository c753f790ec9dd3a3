import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { migrate } from "./migrate.ts";
import { SqliteConnection } from "./sqlite-connection.ts";

// Contract: durability-28, durability-72
test("a migration that fails halfway changes nothing", () => {
  const sql = new SqliteConnection(new DatabaseSync(":memory:"));
  const tables = () => sql.all("SELECT name FROM sqlite_schema");
  const step = (version: number, table: string) => ({
    version,
    statements: [`CREATE TABLE ${table} (x TEXT)`],
  });
  const bad = { version: 3, statements: ["CREATE TABLE c (x TEXT)", "CREATE TABLE a (x TEXT)"] };
  assert.throws(() => migrate(sql, 1, [step(1, "a"), step(2, "b"), bad]), /already exists/);
  assert.deepEqual(tables(), []);
  migrate(sql, 1, [step(1, "a")]);
  const before = tables();
  assert.throws(() => migrate(sql, 1, [step(1, "a"), step(2, "b"), bad]), /already exists/);
  assert.deepEqual(tables(), before);
  // The previous version can still read its own schema.
  migrate(sql, 1, [step(1, "a")]);
});
