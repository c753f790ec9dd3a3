import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { errorDataOf } from "./error-data.ts";

test("reports a missing column or table as a corrupt database", () => {
  const sql = new DatabaseSync(":memory:");
  sql.exec("CREATE TABLE runs (id TEXT)");
  for (const statement of ["SELECT v.bytes FROM runs v", "SELECT bytes FROM values_of_runs"]) {
    const error = errorDataOf("Reading from the store", thrownBy(statement));
    assert.equal(error.code, "database_corrupt");
    assert.match(error.message, /no such (?:column|table): .*restore a backup/);
  }
  assert.equal(errorDataOf("Reading", thrownBy("SELEKT 1")).code, "store_failed");

  function thrownBy(statement: string): unknown {
    try {
      sql.prepare(statement);
    } catch (thrown) {
      return thrown;
    }
    return undefined;
  }
});
