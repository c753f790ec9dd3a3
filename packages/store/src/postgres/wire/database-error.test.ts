import assert from "node:assert/strict";
import { test } from "node:test";
import { databaseError } from "./database-error.ts";

function failure(code: string): Error {
  return Object.assign(new Error("the reason"), { code });
}

// Contract: durability-65
test("an error of PostgreSQL has a code of Capstan, its original text and advice", () => {
  const expected = [
    ["53100", "disk_full", /make room/],
    ["XX001", "database_corrupt", /restore a backup/],
    ["XX002", "database_corrupt", /REINDEX/],
    ["28P01", "database_rejected", /the user and the password/],
    ["42501", "database_rejected", /may use this database/],
    ["25006", "database_rejected", /name the primary/],
    ["3D000", "database_missing", /Create the database/],
    ["53300", "database_unreachable", /max_connections/],
    ["ECONNREFUSED", "database_unreachable", /Check that PostgreSQL runs/],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "database_rejected", /sslrootcert/],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "database_rejected", /sslrootcert/],
    ["22001", "store_failed", /Nothing of it was written/],
  ] as const;
  for (const [code, ours, advice] of expected) {
    const error = databaseError("Writing to the store", failure(code));
    assert.equal(error.code, ours, code);
    assert.match(error.message, /^Writing to the store failed: the reason\. /);
    assert.match(error.message, advice);
  }
});

test("an error of the driver also has a code, its original text and advice", () => {
  const expected = [
    ["SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string", /PGPASSWORD/],
    ["The server does not support SSL connections", /`sslmode`/],
  ] as const;
  for (const [message, advice] of expected) {
    const error = databaseError("Opening the store", new Error(message));
    assert.equal(error.code, "database_rejected");
    assert.ok(error.message.startsWith(`Opening the store failed: ${message}. `), error.message);
    assert.match(error.message, advice);
  }
});
