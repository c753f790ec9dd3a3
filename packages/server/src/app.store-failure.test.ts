import assert from "node:assert/strict";
import { test } from "node:test";
import { CapstanError } from "@capstan/core";
import { ScriptedModel } from "@capstan/core/testing";
import { openMemoryStore } from "@capstan/store";
import { createTestApp, requestTo } from "./testing/app-fixtures.ts";

/** An app whose store rejects every write for this reason, and its log. */
function failingApp(code: string) {
  const message = "Writing to the store in /secret/place failed: it says so. Make room.";
  const store = {
    ...openMemoryStore(),
    write: () => Promise.reject(new CapstanError({ code, message })),
  };
  const lines: string[] = [];
  const log = (line: string) => void lines.push(line);
  return { ...createTestApp({ model: new ScriptedModel([]), store, log }), lines };
}

// Contract: durability-73
test("a store failure tells the client what to do; only the log has the path", async () => {
  for (const [code, status, retryAfter, says] of [
    ["disk_full", 507, "30", /disk is full.*freed space/],
    ["database_unreachable", 503, "5", /Try again/],
    ["store_busy", 503, "1", /Try again/],
    ["store_closed", 503, "5", /Try again/],
    ["database_rejected", 503, null, /log/],
    ["database_corrupt", 500, null, /restore a backup/],
    ["data_directory_unwritable", 500, null, /no permission to write/],
  ] as const) {
    const { fetch, lines } = failingApp(code);
    const response = await fetch(requestTo("POST", "/v1/responses", { input: "Hello." }));
    assert.equal(response.status, status, code);
    assert.equal(response.headers.get("Retry-After"), retryAfter);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    assert.equal(error.code, code);
    assert.match(error.message, says);
    assert.doesNotMatch(error.message, /secret/);
    assert.match(lines.join("\n"), /\/secret\/place/);
  }
});

test("a store error that the caller cannot fix is reported as an unknown failure", async () => {
  const { call } = failingApp("store_failed");
  const { status, body } = await call("POST", "/v1/responses", { input: "Hello." });
  assert.equal(status, 500);
  assert.equal(body.error?.code, "server_error");
});
