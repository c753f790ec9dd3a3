import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { maintainStore } from "./db.ts";

test("a backup without a file asks for one, and a missing store is reported", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "capstan-db-"));
  const lines: string[] = [];
  const printLine = (line: string) => lines.push(line);
  try {
    assert.equal(await maintainStore({ action: "backup", dataDir, printLine }), 2);
    assert.match(lines.join(), /--to FILE/);
    for (const action of ["check", "vacuum"] as const)
      await assert.rejects(maintainStore({ action, dataDir, printLine }), { code: "no_store" });
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});
