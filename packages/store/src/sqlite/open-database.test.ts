import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openForWriting } from "./open-database.ts";
import { withDataDir } from "../testing/store-fixtures.ts";

/** 1 is NORMAL: commits do not wait for the disk. 2 is FULL: each commit waits for the disk. */
const normal = 1;
const full = 2;

for (const [durability, level] of [
  ["full", full],
  ["process", normal],
] as const) {
  test(`at durability ${durability} commits wait for the disk or not`, async () => {
    await withDataDir(async (dataDir) => {
      const sql = openForWriting(join(dataDir, "capstan.db"), durability);
      assert.equal(sql.get<{ synchronous: number }>("PRAGMA synchronous")?.synchronous, level);
      sql.close();
    });
  });
}
