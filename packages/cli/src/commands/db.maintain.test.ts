import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { maintainStore } from "./db.ts";

test("a backup without a file asks for one; without a store the command says so", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-db-"));
  const lines: string[] = [];
  const say = (line: string) => lines.push(line);
  try {
    assert.equal(await maintainStore({ wish: "backup", dataDir, say }), 2);
    assert.match(lines.join(), /--to FILE/);
    for (const wish of ["check", "vacuum"] as const)
      await assert.rejects(maintainStore({ wish, dataDir, say }), { code: "no_store" });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
