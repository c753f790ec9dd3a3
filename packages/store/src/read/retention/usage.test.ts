import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { systemClock } from "@capstan/core/host";
import { migrate } from "../../sqlite/migrate.ts";
import { storeOnConnection } from "../../sqlite/open-store.ts";
import { SqliteConnection } from "../../sqlite/sqlite-connection.ts";
import { commit, createRun, delta, resultOf, start } from "../../testing/store-fixtures.ts";
import { readEveryUsage, usageSlice } from "./usage.ts";

test("usage that is counted a few runs at a time equals every user's total", async () => {
  const sql = new SqliteConnection(new DatabaseSync(":memory:"));
  migrate(sql, 1);
  const store = storeOnConnection(sql, systemClock);
  for (const [n, user] of ["ann", "bob", "ann", "ann", "bob"].entries()) {
    await createRun(store, { id: `r${n}`, owner: user });
    await commit(store, `r${n}`, [
      start("i"),
      delta("i", "x".repeat(n * 10)),
      resultOf("completed"),
    ]);
  }
  const whole = await store.everyUsage();
  assert.deepEqual(
    whole.map(({ owner, runs }) => [owner, runs]),
    [
      ["ann", 3],
      ["bob", 2],
    ],
  );
  assert.ok(whole.every(({ bytes, byKind }) => bytes > 0 && byKind.events > 0));
  let slices = 0;
  const sliced = await readEveryUsage(async (cursor) => {
    slices += 1;
    return sql.script(usageSlice({ ...cursor, runs: 2 }));
  });
  assert.deepEqual(sliced, whole);
  assert.ok(slices > 20);
  await store.close();
});
