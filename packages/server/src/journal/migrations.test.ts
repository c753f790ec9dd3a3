import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { migrate } from "./migrate.ts";
import { migrations } from "./migrations.ts";
import { readManifestEntries } from "./manifest.ts";
import { Sql } from "./sql.ts";
import { variableOf } from "./testing/store-fixtures.ts";

/** A database as it was after a step, brought up to date once something is in it. */
function from(version: number, fill: (sql: Sql) => void): Sql {
  const sql = new Sql(new DatabaseSync(":memory:"));
  const then = migrations.filter((step) => step.version <= version);
  migrate(sql, 0, then);
  fill(sql);
  migrate(sql, 0);
  return sql;
}

test("step 10 keeps what a run that goes on has changed of its variables", () => {
  const { value: _value, ...info } = variableOf('odd "name"\0', "text");
  const sql = from(9, (old) => {
    const keep = (n: number, name: string, entry: unknown) =>
      old.run(
        "INSERT INTO run_variables VALUES (1, ?, 'local', ?, ?)",
        n,
        name,
        entry === null ? null : JSON.stringify(entry),
      );
    keep(1, info.name, { ...info, digest: "d" });
    keep(2, "gone", { ...info, name: "gone", type: "USER_ADD", digest: "e" });
    keep(3, "gone", null);
    keep(4, info.name, { evicted: true });
  });
  const run = { n: 1, session_id: "s", base_manifest: null, manifest: null };
  const entries = sql.script(readManifestEntries(run));
  assert.deepEqual([...entries], [[info.name, { ...info, digest: "d", evicted: true }]]);
});
