import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { systemClock } from "@capstan/core/base";
import { migrate, SqliteConnection, storeOnConnection } from "@capstan/store/testing";
import { ScriptedModel } from "@capstan/core/testing";
import { createTestApp } from "../testing/app-fixtures.ts";

test("a damaged run is shown as one in lists, which go on", async () => {
  const sql = new SqliteConnection(new DatabaseSync(":memory:"));
  migrate(sql, 1);
  const store = storeOnConnection(sql, systemClock);
  const { call } = createTestApp({ model: new ScriptedModel(["a", "b", "c"]), store });
  const { id: conversation } = (await call("POST", "/v1/conversations", {})).body;
  const ids: string[] = [];
  for (const input of ["one", "two", "three"])
    ids.push((await call("POST", "/v1/responses", { input, conversation })).body.id);
  const [first, second, third] = ids;
  const damage = (table: string, column: string) =>
    sql.run(
      `UPDATE ${table} SET ${column} = '[' WHERE run_n = (SELECT n FROM runs WHERE id = ?)
       AND ${column} IS NOT NULL`,
      second ?? "",
    );
  damage("run_results", "result");
  damage("run_requests", "input");
  damage("run_journal", "events");
  for (const [path, order] of [
    ["/v1/runs", [third, second, first]],
    [`/v1/conversations/${conversation}/runs`, [first, second, third]],
  ] as const) {
    const { status, body } = await call("GET", path);
    assert.equal(status, 200);
    const runs = body.data as unknown as { id: string; error: { code: string } | null }[];
    assert.deepEqual(
      runs.map(({ id }) => id),
      order,
    );
    assert.deepEqual(
      runs.map(({ error }) => error?.code ?? null),
      [null, "run_damaged", null],
    );
  }
});
