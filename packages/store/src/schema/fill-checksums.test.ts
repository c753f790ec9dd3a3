import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";
import { migrate } from "../sqlite/migrate.ts";
import { openForWriting } from "../sqlite/open-database.ts";
import type { SqliteConnection } from "../sqlite/sqlite-connection.ts";
import { withDataDir } from "../testing/store-fixtures.ts";
import { corruptRows, fillChecksums } from "./fill-checksums.ts";
import { migrations } from "./migrations.ts";

const rows = 2_500;

/** A database of version 15. */
function writeOld(sql: SqliteConnection): void {
  migrate(
    sql,
    0,
    migrations.filter(({ version }) => version <= 15),
  );
  sql.exec(`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ${rows})
    INSERT INTO items (run_n, direction, n, owner, id, item) SELECT 1, 'input', n, 'local', 'i' || n, '"é"' FROM n`);
  sql.exec("INSERT INTO conversations VALUES ('c', 'local', 't', '{}', '{}', NULL, 1, 1)");
}

/** A start that kills itself after a number of rows. */
const dyingStart = `
  import { fillChecksums } from ${JSON.stringify(import.meta.resolve("./fill-checksums.ts"))};
  import { migrate } from ${JSON.stringify(import.meta.resolve("../sqlite/migrate.ts"))};
  import { openForWriting } from ${JSON.stringify(import.meta.resolve("../sqlite/open-database.ts"))};
  const sql = openForWriting(process.argv[1], "process");
  migrate(sql, 0);
  let left = Number(process.argv[2]);
  const run = sql.run.bind(sql);
  sql.run = (text, ...values) => {
    if (left === 0) process.kill(process.pid, "SIGKILL");
    left -= 1;
    return run(text, ...values);
  };
  fillChecksums(sql, () => {});
`;

// Contract: durability-61
test("fills the checksums of an old database, even if several starts are killed", async () => {
  await withDataDir(async (dataDir) => {
    const path = join(dataDir, "capstan.db");
    const old = openForWriting(path, "process");
    writeOld(old);
    old.close();
    for (const killedAfter of [0, 1, 700, 1_001, 1_500]) {
      const { signal } = spawnSync(process.execPath, [
        "--conditions=@capstan/source",
        "--input-type=module",
        "--eval",
        dyingStart,
        path,
        String(killedAfter),
      ]);
      assert.equal(signal, "SIGKILL");
    }
    const sql = openForWriting(path, "process");
    migrate(sql, 0);
    fillChecksums(sql, () => {});
    assert.deepEqual([...corruptRows(sql)], []);
    const counted = sql.get<{ n: number }>("SELECT COUNT(*) AS n FROM items WHERE checksum > 0");
    assert.equal(counted?.n, rows);
    assert.deepEqual(sql.all("SELECT * FROM unchecked_tables"), []);
    // A later start does not compute a removed checksum again.
    sql.run("UPDATE items SET checksum = NULL WHERE n = 7");
    fillChecksums(sql, () => {});
    assert.match([...corruptRows(sql)].join(), /^Row 1\/input\/7 of the table items is corrupt/);
    sql.close();
  });
});
