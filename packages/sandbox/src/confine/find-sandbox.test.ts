import assert from "node:assert/strict";
import { test } from "node:test";
import { systemProblem } from "./find-sandbox.ts";

test("systems without a sandbox say what runs there, and what to do", () => {
  assert.equal(systemProblem("linux"), undefined);
  const windows = systemProblem("win32");
  assert.match(windows?.message ?? "", /Windows: scripts do not run/);
  assert.match(windows?.fix ?? "", /WSL 2/);
  for (const [platform, name] of [
    ["darwin", "macOS"],
    ["freebsd", "freebsd"],
  ] as const) {
    const other = systemProblem(platform);
    assert.match(
      other?.message ?? "",
      new RegExp(`on ${name}: .*every script call needs approval`),
    );
    assert.match(other?.fix ?? "", /on Linux/);
  }
});
