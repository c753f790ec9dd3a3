import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { openForWriting, withoutSync } from "./open-database.ts";
import { withDataDir } from "./testing/store-fixtures.ts";

/** 1 is NORMAL: nothing waits for the disk. 2 is FULL: each commit does. */
const normal = 1;
const full = 2;

for (const [durability, level] of [
  ["full", full],
  ["process", normal],
] as const) {
  test(`what need not be on the disk waits for no sync, and all after it is ${durability} again`, async () => {
    await withDataDir(async (dataDir) => {
      const sql = openForWriting(join(dataDir, "capstan.db"), durability);
      const synchronous = () => sql.get<{ synchronous: number }>("PRAGMA synchronous")?.synchronous;
      assert.equal(synchronous(), level);
      let within: number | undefined;
      withoutSync(sql, durability, () => {
        sql.exec("BEGIN; CREATE TABLE t (n INTEGER)");
        sql.exec("COMMIT");
        within = synchronous();
      });
      assert.equal(within, normal);
      assert.equal(synchronous(), level);
      const failing = () =>
        withoutSync(sql, durability, () => sql.exec("INSERT INTO none VALUES (1)"));
      assert.throws(failing, /no such table/);
      assert.equal(synchronous(), level, "after an error, too");
      sql.close();
    });
  });
}
