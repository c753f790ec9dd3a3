import assert from "node:assert/strict";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Checkpoints } from "./checkpoints.ts";
import { openForWriting } from "./open-database.ts";
import { commit, createRun, withDataDir } from "./testing/store-fixtures.ts";
import { openStore } from "./store.ts";

test("the write-ahead log does not grow with what is written", async () => {
  await withDataDir(async (dataDir) => {
    const path = join(dataDir, "capstan.db");
    const sql = openForWriting(path, "process");
    const checkpoints = new Checkpoints(sql, { path, durability: "process" });
    sql.exec("CREATE TABLE texts (n INTEGER PRIMARY KEY, text TEXT)");
    for (let n = 1; n <= 8_000; n++) {
      sql.run("INSERT INTO texts VALUES (?, ?)", n, "x".repeat(4_000));
      await checkpoints.committed(n);
    }
    const { size } = statSync(`${path}-wal`);
    assert.ok(size < 16_000_000, `32 MB were written, and the log has ${size} bytes`);
    await checkpoints.stop();
    sql.close();
  });
});

test("a closed store has everything in its one file", async () => {
  await withDataDir(async (dataDir) => {
    const store = await openStore({ dataDir, durability: "process" });
    await createRun(store, { id: "r" });
    const type = "call.event";
    for (let n = 0; n < 60; n++) {
      const event = { type, callId: "c", name: "n", data: "x".repeat(100_000) } as const;
      await commit(store, "r", [{ type: "event", event }]);
    }
    await store.close();
    const log = join(dataDir, "capstan.db-wal");
    assert.equal(existsSync(log) ? statSync(log).size : 0, 0);
  });
});
