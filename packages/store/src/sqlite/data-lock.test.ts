import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { lockDataDirectory, readLock } from "./data-lock.ts";
import { vacuumStore } from "../upkeep/maintenance.ts";
import { openStore } from "./open-store.ts";
import { createRun, owner, withDataDir } from "../testing/store-fixtures.ts";

// Contract: durability-69
test("a corrupt lock file without a holder is replaced and locks the folder as before", async () => {
  for (const garbage of [Buffer.from("x"), Buffer.alloc(100, 7), Buffer.alloc(10_000, 0xa5)]) {
    await withDataDir(async (dataDir) => {
      const first = await openStore({ dataDir, durability: "process" });
      await createRun(first, { id: "r" });
      await first.close();
      await writeFile(join(dataDir, "server.lock"), garbage);
      const second = await openStore({ dataDir, durability: "process" });
      try {
        assert.equal((await second.getRun({ owner, id: "r" }))?.id, "r");
        assert.equal((await readLock(dataDir))?.pid, process.pid);
        await assert.rejects(openStore({ dataDir }), { code: "data_directory_locked" });
      } finally {
        await second.close();
      }
    });
  }
});

test("a lock file that is corrupt while it is held is not replaced", async () => {
  await withDataDir(async (dataDir) => {
    const lock = await lockDataDirectory(dataDir, 1);
    try {
      const path = join(dataDir, "server.lock");
      // Another process damages the file, because closing it in this process would release the
      // lock.

      const write = `require("node:fs").writeFileSync(${JSON.stringify(path)}, "corrupt ".repeat(200))`;
      assert.equal(spawnSync(process.execPath, ["-e", write]).status, 0);
      await assert.rejects(lockDataDirectory(dataDir, 2), { code: "data_directory_locked" });
    } finally {
      await lock.release();
    }
  });
});

// Contract: durability-69
test("an error names a lock file or note that cannot be written, and the attempt leaves no files", async () => {
  await withDataDir(async (dataDir) => {
    await (await openStore({ dataDir, durability: "process" })).close();
    await rm(join(dataDir, "server.lock"));
    await mkdir(join(dataDir, "server.lock"));
    const unlockable = {
      code: "data_directory_unwritable",
      message: /server\.lock.*choose another/,
    };
    await assert.rejects(openStore({ dataDir }), unlockable);
    await assert.rejects(vacuumStore(dataDir), unlockable);
    await rm(join(dataDir, "server.lock"), { recursive: true });
    await mkdir(join(dataDir, "server.json"));
    const before = await readdir(dataDir);
    await assert.rejects(vacuumStore(dataDir), { code: "store_failed", message: /server\.json/ });
    assert.deepEqual(
      (await readdir(dataDir)).filter((name) => name !== "server.lock"),
      before,
    );
    await rm(join(dataDir, "server.json"), { recursive: true });
    await vacuumStore(dataDir);
  });
});

test("ignores a note without a lock", async () => {
  await withDataDir(async (dataDir) => {
    const lock = await lockDataDirectory(dataDir, 1);
    const note = await readFile(join(dataDir, "server.json"));
    await lock.release();
    await writeFile(join(dataDir, "server.json"), note);
    await rm(join(dataDir, "server.lock"));
    assert.equal(await readLock(dataDir), undefined);
  });
});
