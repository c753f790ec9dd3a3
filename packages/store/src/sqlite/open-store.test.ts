import assert from "node:assert/strict";
import { stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import {
  commit,
  createRun,
  event,
  owner,
  withDataDir,
  withFileStore,
} from "../testing/store-fixtures.ts";
import { readLock } from "./data-lock.ts";
import { openStore } from "./open-store.ts";

test("rejects a second server on the same folder, with the holder's process and address", async () => {
  await withFileStore(async (store, dataDir) => {
    assert.equal((await readLock(dataDir))?.pid, process.pid);
    await store.announce("http://127.0.0.1:8787");
    assert.equal((await readLock(dataDir))?.url, "http://127.0.0.1:8787");
    await assert.rejects(openStore({ dataDir }), {
      code: "data_directory_locked",
      message: new RegExp(
        `in use by process ${process.pid}, which listens at http://127.0.0.1:8787`,
      ),
    });
    assert.equal(
      (await readLock(dataDir))?.pid,
      process.pid,
      "reading the lock does not release it",
    );
  });
});

test("only this user can read stored data", { skip: process.platform === "win32" }, async () => {
  await withDataDir(async (parent) => {
    const dataDir = join(parent, "a", "b");
    await (await openStore({ dataDir })).close();
    assert.equal((await stat(dataDir)).mode & 0o777, 0o700);
    assert.equal((await stat(join(dataDir, "capstan.db"))).mode & 0o777, 0o600);
  });
});

test("a beforeNext callback that waits when the store closes is part of the last commit", async () => {
  await withFileStore(async (store) => {
    await createRun(store, { id: "r" });
    const given = Promise.withResolvers<number>();
    store.beforeNext(() => {
      const round = event({ type: "round.started", round: 1, at: 1 });
      given.resolve(commit(store, "r", [round]).then(() => 1));
    });
    await store.close();
    assert.equal(await given.promise, 1);
  });
});

test("a closed store finishes its writes, releases its folder and accepts no more writes", async () => {
  await withDataDir(async (dataDir) => {
    const first = await openStore({ dataDir });
    const given = createRun(first, { id: "r" });
    await first.close();
    await given;
    assert.equal(await readLock(dataDir), undefined);
    await assert.rejects(first.write([{ type: "expire-approvals" }]), { code: "store_closed" });
    await assert.rejects(first.getRun({ owner, id: "r" }), /Reading from the store failed|closed/);
    const second = await openStore({ dataDir });
    assert.equal((await second.getRun({ owner, id: "r" }))?.status, "in_progress");
    await second.close();
  });
});

// Contract: durability-64, durability-65, durability-71
test("errors about an impossible folder, a file of another format and a newer schema say what to do", async () => {
  await withDataDir(async (dataDir) => {
    const file = join(dataDir, "file");
    await writeFile(file, "");
    await assert.rejects(openStore({ dataDir: join(file, "below") }), {
      code: "data_directory_unwritable",
      message: /choose another/,
    });

    await writeFile(
      join(dataDir, "capstan.db"),
      "this is not a database, though it is long enough to be read",
    );
    await assert.rejects(openStore({ dataDir }), {
      code: "database_corrupt",
      message: /not an SQLite database/,
    });
    assert.equal(await readLock(dataDir), undefined);
  });
  await withDataDir(async (dataDir) => {
    await (await openStore({ dataDir })).close();
    const database = new DatabaseSync(join(dataDir, "capstan.db"));
    database.exec("INSERT INTO schema_migrations VALUES (999, 0)");
    database.close();
    await assert.rejects(openStore({ dataDir }), { code: "database_newer", message: /number 999/ });
  });
});
