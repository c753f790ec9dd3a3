import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { migrate } from "../src/sqlite/migrate.ts";
import { SqliteConnection } from "../src/sqlite/sqlite-connection.ts";
import { readFiles } from "../src/read/files/read-files.ts";

test("a few files of an owner are found by their ids, not among all of the owner's files", () => {
  const database = new SqliteConnection(new DatabaseSync(":memory:"));
  migrate(database, 1);
  const [read] = readFiles({ owner: "ann", ids: ["file-1", "file-2"], at: 1 }).next()
    .value as readonly { readonly sql: { readonly sqlite: string } }[];
  assert.ok(read);
  const plan = database.all<{ readonly detail: string }>(
    `EXPLAIN QUERY PLAN ${read.sql.sqlite}`,
    '["file-1", "file-2"]',
    "ann",
    1,
  );
  const steps = plan.map(({ detail }) => detail);
  assert.match(steps[0] ?? "", /^SEARCH files USING (?:PRIMARY KEY|INDEX sqlite_autoindex)/);
});
