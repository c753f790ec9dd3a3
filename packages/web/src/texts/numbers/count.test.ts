import assert from "node:assert/strict";
import { test } from "node:test";
import { formatBytes, plural } from "./count.ts";

test("counts and bytes", () => {
  assert.equal(plural(1, { one: "call", other: "calls" }), "1 call");
  assert.equal(plural(12_345, { one: "token", other: "tokens" }), "12,345 tokens");
  assert.equal(formatBytes(2048), "2.0 KB");
});
