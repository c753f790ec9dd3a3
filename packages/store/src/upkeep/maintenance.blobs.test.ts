import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { copyFile, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { DiskBlobs } from "../blobs/disk-blobs.ts";
import { sha256Of } from "../blobs/blob-store.ts";
import { openForWriting } from "../sqlite/open-database.ts";
import { openStore } from "../sqlite/open-store.ts";
import { createRun, owner, withDataDir, withFileStore } from "../testing/store-fixtures.ts";
import { backupStore, checkStore } from "./maintenance.ts";

// Contract: durability-59
test("a check finds missing or corrupt inputs, and names their run", async () => {
  await withFileStore(async (store, dataDir) => {
    const bytes = randomBytes(100_000);
    const sha256 = await sha256Of(bytes);
    await createRun(store, {
      id: "r",
      status: "completed",
      blobs: [{ sha256, size: bytes.length, bytes }],
    });
    assert.deepEqual((await checkStore({ dataDir })).problems, []);
    const path = new DiskBlobs(join(dataDir, "blobs")).path(sha256);
    const corrupt = await readFile(path);
    const at = 77_777;
    corrupt[at] = (corrupt[at] ?? 0) ^ 4;
    await writeFile(path, corrupt);
    assert.match(
      (await checkStore({ dataDir })).problems.join(),
      /input of run r is corrupt: the file/,
    );
    await rm(path);
    assert.match(
      (await checkStore({ dataDir })).problems.join(),
      /input of run r is missing: the file/,
    );
  });
});

// Contract: durability-59
test("a backup has the inputs, and a data directory restored from it has them again", async () => {
  await withFileStore(async (store, dataDir) => {
    const input = [{ type: "message", role: "user", content: "long ".repeat(50_000) }];
    await createRun(store, { id: "r", status: "completed", input });
    const backup = join(dataDir, "backup.db");
    await backupStore(dataDir, backup);
    await withDataDir(async (other) => {
      await copyFile(backup, join(other, "capstan.db"));
      // Opened twice: nothing is left of the copy in the database.
      for (let n = 0; n < 2; n++) {
        const restored = await openStore({ dataDir: other, durability: "process" });
        assert.deepEqual(await restored.readInput({ owner, runId: "r" }), input);
        await restored.close();
      }
      assert.deepEqual((await checkStore({ dataDir: other })).problems, []);
    });
  });
});

// Contract: durability-56
test("a check names the table and the row of a value that is not JSON", async () => {
  await withFileStore(async (store, dataDir) => {
    await createRun(store, { id: "r", status: "completed" });
    const sql = openForWriting(join(dataDir, "capstan.db"), "process");
    sql.run("UPDATE run_requests SET input = '[{'");
    sql.close();
    const { problems } = await checkStore({ dataDir });
    assert.deepEqual(problems, [
      "Row 1 of the table run_requests is corrupt: its checksum does not match its cells.",
      "The column input of row 1 of run_requests is corrupt: it is not JSON.",
    ]);
  });
});
