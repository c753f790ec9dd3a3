import assert from "node:assert/strict";
import { test } from "node:test";
import { databaseError } from "./database-error.ts";

function failure(code: string): Error {
  return Object.assign(new Error("it says so"), { code });
}

test("what PostgreSQL refuses has a code of ours, its own words, and what to do", () => {
  const expected = [
    ["53100", "disk_full", /make room/],
    ["XX001", "database_corrupt", /restore a backup/],
    ["XX002", "database_corrupt", /REINDEX/],
    ["28P01", "database_refused", /the user and the password/],
    ["42501", "database_refused", /may use this database/],
    ["25006", "database_refused", /the one that can be written/],
    ["3D000", "database_missing", /Create the database/],
    ["53300", "database_unreachable", /max_connections/],
    ["ECONNREFUSED", "database_unreachable", /See that PostgreSQL runs/],
    ["22001", "store_failed", /Nothing of it was written/],
  ] as const;
  for (const [code, ours, advice] of expected) {
    const error = databaseError("Writing to the store", failure(code));
    assert.equal(error.code, ours, code);
    assert.match(error.message, /^Writing to the store failed: it says so\. /);
    assert.match(error.message, advice);
  }
});
