import assert from "node:assert/strict";
import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openStore, type Store, vacuumStore } from "@capstan/store";
import { openPostgresStore } from "@capstan/store/postgres";
import {
  createRun,
  findPostgres,
  owner,
  startPostgres,
  variableOf,
  withDataDir,
} from "@capstan/store/testing";
import { cannotMount, openSmallDisk, type SmallDisk } from "./stores/small-disk.ts";

const cannot = cannotMount();
const postgres = findPostgres();
const withoutPostgres = postgres.status === "missing" ? postgres.reason : undefined;

/** On a full disk the start fails and says what to do. With free space it succeeds. */
async function assertNeedsRoom(disk: SmallDisk, open: () => Promise<Store>): Promise<void> {
  disk.fill(0);
  await assert.rejects(open(), { code: "disk_full", message: /make room/ });
  disk.free();
  const store = await open();
  await createRun(store, { id: "r" });
  await store.close();
}

// Contract: durability-71
test(
  "on a full disk, the start with a data directory says to make room",
  { skip: cannot },
  async () => {
    await using disk = openSmallDisk(8);
    await assertNeedsRoom(disk, () => openStore({ dataDir: join(disk.path, "data") }));
  },
);

// Contract: durability-71
test(
  "a vacuum on a full disk says to make room, and works once there is free space",
  { skip: cannot },
  async () => {
    await using disk = openSmallDisk(8);
    const dataDir = join(disk.path, "data");
    await (await openStore({ dataDir })).close();
    disk.fill(0);
    await assert.rejects(vacuumStore(dataDir), { code: "disk_full", message: /make room/ });
    disk.free();
    await vacuumStore(dataDir);
  },
);

// Contract: durability-71
test(
  "on a full disk, the start with a database says to make room",
  { skip: withoutPostgres ?? cannot },
  async () => {
    await using disk = openSmallDisk(192);
    const server = await startPostgres(disk.path);
    const connectionString = await server.newDatabase();
    await assertNeedsRoom(disk, async () => {
      await server.revive();
      return openPostgresStore({ connectionString, connections: 1 });
    });
    server.stop();
  },
);

// Contract: durability-65
test("corrupt database pages lead to an error that says to restore a backup", async () => {
  await withDataDir(async (dataDir) => {
    const first = await openStore({ dataDir });
    await createRun(first, { id: "r" });
    const text = "x".repeat(200_000);
    const change = { type: "set", variable: variableOf("v", text) } as const;
    const writes = [{ type: "variable", change }] as const;
    await first.write([{ type: "journal", runId: "r", epoch: 1, writes }]);
    await first.close();
    damage(join(dataDir, "capstan.db"));
    await assert.rejects(
      async () => {
        const store = await openStore({ dataDir });
        try {
          await store.getRun({ owner, id: "r" });
        } finally {
          await store.close();
        }
      },
      { code: "database_corrupt", message: /restore a backup/ },
    );
  });
});

/** Overwrites all pages except the first, which identifies the file as a database. */
function damage(path: string): void {
  const file = openSync(path, "r+");
  writeSync(file, Buffer.alloc(statSync(path).size - 4_096, 0xff), 0, undefined, 4_096);
  closeSync(file);
}
