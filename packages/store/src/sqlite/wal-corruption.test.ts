import assert from "node:assert/strict";
import { copyFile, mkdir, readFile, rename, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { backupStore, checkStore, vacuumStore } from "../upkeep/maintenance.ts";
import { openStore } from "./open-store.ts";
import {
  commit,
  createRun,
  delta,
  end,
  owner,
  start,
  withDataDir,
  withFileStore,
} from "../testing/store-fixtures.ts";

/** The folder of a killed server, whose newest runs are only in the log. */
async function withKilled(use: (dataDir: string) => Promise<void>): Promise<void> {
  await withDataDir((dataDir) =>
    withFileStore(async (store, from) => {
      for (const id of ["r1", "r2", "r3"]) {
        await createRun(store, { id });
        await commit(store, id, [start("i"), delta("i", "text"), end("i", "text")]);
      }
      for (const name of ["capstan.db", "capstan.db-wal"])
        await copyFile(join(from, name), join(dataDir, name));
      await use(dataDir);
    }),
  );
}

test("the next start reads the commits in the log of a killed server", async () => {
  await withKilled(async (dataDir) => {
    assert.deepEqual((await checkStore({ dataDir })).problems, []);
    const store = await openStore({ dataDir, durability: "process" });
    for (const id of ["r1", "r2", "r3"]) assert.equal((await store.getRun({ owner, id }))?.id, id);
    await store.close();
  });
});

// Contract: durability-66
test("a log that is corrupt before its last commits is not overwritten, and the start fails with advice", async () => {
  await withKilled(async (dataDir) => {
    const path = join(dataDir, "capstan.db");
    const log = await readFile(`${path}-wal`);
    log.fill(0xa5, 2_000, 7_000);
    await writeFile(`${path}-wal`, log);
    const before = await readFile(path);
    const { runs, problems } = await checkStore({ dataDir });
    assert.equal(runs, 0);
    assert.match(problems.join(), /capstan\.db-wal is corrupt at byte 32: \d+ commits/);
    const refused = { code: "database_corrupt", message: /Restore a backup/ };
    await assert.rejects(openStore({ dataDir }), refused);
    await assert.rejects(vacuumStore(dataDir), refused);
    await assert.rejects(backupStore(dataDir, join(dataDir, "copy.db")), refused);
    assert.deepEqual(await readFile(`${path}-wal`), log);
    assert.deepEqual(await readFile(path), before);
    await mkdir(join(dataDir, "aside"));
    await rename(`${path}-wal`, join(dataDir, "aside", "capstan.db-wal"));
    await (await openStore({ dataDir, durability: "process" })).close();
    assert.deepEqual((await checkStore({ dataDir })).problems, []);
  });
});

test("truncating a corrupt log as the error advises keeps the commits before the damage", async () => {
  await withKilled(async (dataDir) => {
    const path = join(dataDir, "capstan.db-wal");
    const log = await readFile(path);
    // An offset after the commits of the first run.
    log.fill(0xa5, log.length - 12_000, log.length - 11_000);
    await writeFile(path, log);
    const refusal = await openStore({ dataDir }).then(
      () => assert.fail("It was opened."),
      (error: Error) => error.message,
    );
    const [, bytes = ""] = /`truncate -s (\d+) \S+capstan\.db-wal`/.exec(refusal) ?? [];
    await truncate(path, Number(bytes));
    const store = await openStore({ dataDir, durability: "process" });
    assert.equal((await store.getRun({ owner, id: "r1" }))?.id, "r1");
    await store.close();
    assert.deepEqual((await checkStore({ dataDir })).problems, []);
  });
});
