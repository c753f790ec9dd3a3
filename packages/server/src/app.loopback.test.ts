import assert from "node:assert/strict";
import { test } from "node:test";
import { isLoopback } from "./app.ts";

test("isLoopback accepts only addresses that other machines cannot reach", () => {
  for (const host of ["127.0.0.1", "127.8.9.1", "::1", "0:0:0:0:0:0:0:1", "localhost", "LOCALHOST"])
    assert.ok(isLoopback(host), host);
  const open = [
    "0.0.0.0",
    "::",
    "192.168.1.2",
    "128.0.0.1",
    "fe80::1",
    "127.0.0.1.example.org",
    "",
  ];
  for (const host of open) assert.ok(!isLoopback(host), host);
});
