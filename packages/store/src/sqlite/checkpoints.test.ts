import assert from "node:assert/strict";
import { closeSync, existsSync, mkdirSync, openSync, statSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { type CheckpointThreadOptions, Checkpoints } from "./checkpoints.ts";
import { openForWriting } from "./open-database.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { commit, createRun, withDataDir } from "../testing/store-fixtures.ts";
import { openStore } from "./open-store.ts";

/** A database whose log only `checkpoints` moves. */
async function withLog(
  use: (
    options: CheckpointThreadOptions,
    sql: SqliteConnection,
  ) => Promise<{ checkpoints: Checkpoints; changed: number; cleared?: number }>,
): Promise<void> {
  await withDataDir(async (dataDir) => {
    const path = join(dataDir, "capstan.db");
    const sql = openForWriting(path, "process");
    const options = { path, file: openSync(path, "r+"), durability: "process" } as const;
    sql.exec("CREATE TABLE texts (n INTEGER PRIMARY KEY, text TEXT)");
    const { checkpoints, changed, cleared } = await use(options, sql);
    for (let n = changed + 1; n <= changed + 8_000; n++) {
      sql.run("INSERT INTO texts VALUES (?, ?)", n, "x".repeat(4_000));
      await checkpoints.committed(n, cleared);
    }
    const { size } = statSync(`${path}-wal`);
    await checkpoints.stop();
    sql.close();
    closeSync(options.file);
    assert.ok(size < 16_000_000, `32 MB were written, and the log has ${size} bytes`);
  });
}

test("the write-ahead log stays small while data is written", () =>
  withLog(async (options, sql) => {
    return { checkpoints: new Checkpoints(sql, options), changed: 0 };
  }));

test("after the log was empty when a checkpoint began", () =>
  withLog(async (options, sql) => {
    const checkpoints = new Checkpoints(sql, options);
    sql.get("PRAGMA wal_checkpoint(TRUNCATE)");
    await checkpoints.committed(1_000);
    return { checkpoints, changed: 1_000 };
  }));

test("after the writer cleared it shortly before a checkpoint", () =>
  withLog(async (options, sql) => {
    const checkpoints = new Checkpoints(sql, options);
    sql.get("PRAGMA wal_checkpoint(TRUNCATE)");
    return { checkpoints, changed: 999, cleared: 999 };
  }));

test("after the thread of checkpoints died", () =>
  withLog(async (options, sql) => {
    const folder = join(dirname(options.path), "not there yet");
    const path = join(folder, "capstan.db");
    const checkpoints = new Checkpoints(sql, { ...options, path });
    await checkpoints.committed(1_000);
    mkdirSync(folder);
    symlinkSync(options.path, path);
    return { checkpoints, changed: 1_000 };
  }));

test("the log does not start over if the disk did not accept the copied pages", () =>
  withDataDir(async (dataDir) => {
    const path = join(dataDir, "capstan.db");
    const sql = openForWriting(path, "process");
    sql.exec("CREATE TABLE texts (n INTEGER PRIMARY KEY, text TEXT)");
    const noFile = -1;
    const checkpoints = new Checkpoints(sql, { path, file: noFile, durability: "process" });
    for (let n = 1; n <= 3_000; n++) {
      sql.run("INSERT INTO texts VALUES (?, ?)", n, "x".repeat(4_000));
      await checkpoints.committed(n);
    }
    const { size } = statSync(`${path}-wal`);
    await checkpoints.stop();
    sql.close();
    assert.ok(size > 12_000_000, `12 MB were written, and the log has ${size} bytes`);
  }));

test("a closed store has all its data in one file", async () => {
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
