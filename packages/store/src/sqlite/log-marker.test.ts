import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { copyFile, cp, mkdtemp, readFile, rm, stat, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createInterface } from "node:readline";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { backupStore, checkStore, vacuumStore } from "../upkeep/maintenance.ts";
import { openStore } from "./open-store.ts";
import { createRun, owner, withDataDir } from "../testing/store-fixtures.ts";

const durability = "process";

/** Creates a run and stops the store cleanly. */
async function writeAndStop(dataDir: string, id: string): Promise<void> {
  const store = await openStore({ dataDir, durability });
  await createRun(store, { id });
  await store.close();
}

/**
 * A directory with a database and its backup. The backup has the run r1; the run r2 is only in the
 * log, because a reader was open during a clean stop. All tests copy this directory: the stop waits
 * five seconds for the reader.
 */
let template = "";
before(async () => {
  template = await mkdtemp(join(tmpdir(), "capstan-log-marker-"));
  await writeAndStop(template, "r1");
  const store = await openStore({ dataDir: template, durability });
  await backupStore(template, join(template, "backup.db"));
  const reader = new DatabaseSync(join(template, "capstan.db"), { readOnly: true });
  reader.exec("BEGIN; SELECT * FROM runs");
  await createRun(store, { id: "r2" });
  await store.close();
  reader.close();
});
after(() => rm(template, { recursive: true }));

async function withStopped(use: (dataDir: string, log: string) => Promise<void>): Promise<void> {
  await withDataDir(async (dataDir) => {
    await cp(template, dataDir, { recursive: true });
    const log = join(dataDir, "capstan.db-wal");
    assert.ok((await stat(log)).size > 0);
    await use(dataDir, log);
  });
}

async function requireRun(dataDir: string, id: string): Promise<void> {
  const store = await openStore({ dataDir, durability });
  try {
    assert.equal((await store.getRun({ owner, id }))?.id, id);
  } finally {
    await store.close();
  }
  assert.deepEqual((await checkStore({ dataDir })).problems, []);
}

async function requireRefused(dataDir: string, message: RegExp): Promise<void> {
  const path = join(dataDir, "capstan.db");
  const before = await readFile(path);
  // The second start reports the same: the first start must not hide the loss.
  for (let start = 0; start < 2; start++) {
    const refused = { code: "database_corrupt", message };
    await assert.rejects(openStore({ dataDir }), refused);
    await assert.rejects(vacuumStore(dataDir), refused);
    await assert.rejects(backupStore(dataDir, join(dataDir, "copy.db")), refused);
    assert.match((await checkStore({ dataDir })).problems.join(), message);
  }
  assert.deepEqual(await readFile(path), before);
}

/** Starts a process that writes, and kills it after some commits. */
async function writeAndKill(dataDir: string): Promise<void> {
  const script = fileURLToPath(new URL("../../test/writing-process.ts", import.meta.url));
  const child = spawn(process.execPath, [...process.execArgv, script, dataDir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let lines = 0;
  for await (const _ of createInterface({ input: child.stdout }))
    if (++lines === 50) child.kill("SIGKILL");
  if (child.signalCode === null) await once(child, "exit");
}

// Contract: durability-67
test("a start detects a log that was deleted or truncated after a clean stop, until the log is restored", async () => {
  for (const lose of [
    (log: string) => rm(log),
    (log: string) => truncate(log, 0),
    async (log: string) => truncate(log, (await stat(log)).size - 100),
  ])
    await withStopped(async (dataDir, log) => {
      const aside = join(dataDir, "aside");
      await copyFile(log, aside);
      await lose(log);
      await requireRefused(dataDir, /was deleted or truncated after the server had stopped/);
      await copyFile(aside, log);
      await rm(`${join(dataDir, "capstan.db")}-shm`, { force: true });
      await requireRun(dataDir, "r2");
    });
});

// Contract: durability-67
test("a start without the lost log is possible after its marker is deleted", async () => {
  await withStopped(async (dataDir, log) => {
    await rm(log);
    await requireRefused(dataDir, /delete \S+log\.json/);
    await rm(join(dataDir, "log.json"));
    const store = await openStore({ dataDir, durability });
    assert.equal(await store.getRun({ owner, id: "r2" }), undefined);
    await store.close();
    await requireRun(dataDir, "r1");
  });
});

test("a log that a clean stop left empty can be deleted", async () => {
  await withDataDir(async (dataDir) => {
    await writeAndStop(dataDir, "r1");
    for (const name of ["capstan.db-wal", "capstan.db-shm"])
      await rm(join(dataDir, name), { force: true });
    await requireRun(dataDir, "r1");
  });
});

test("another program can move the log into the database after a clean stop", async () => {
  await withStopped(async (dataDir) => {
    const other = new DatabaseSync(join(dataDir, "capstan.db"));
    other.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    other.close();
    await requireRun(dataDir, "r2");
  });
});

// Contract: durability-67
test("a store killed after a clean stop opens with its log, even if another program moved it into the database", async () => {
  await withStopped(async (dataDir) => {
    await writeAndKill(dataDir);
    await withDataDir(async (copy) => {
      await cp(dataDir, copy, { recursive: true });
      await requireRun(copy, "run0");
      await requireRun(copy, "r2");
    });
    const other = new DatabaseSync(join(dataDir, "capstan.db"));
    other.exec("SELECT COUNT(*) FROM runs");
    other.close();
    await requireRun(dataDir, "run0");
  });
});

// Contract: durability-67
test("a restored backup, a copied directory and a copied database open", async () => {
  await withStopped(async (dataDir) => {
    const path = join(dataDir, "capstan.db");
    const backup = join(dataDir, "backup.db");
    await withDataDir(async (copy) => {
      await cp(dataDir, copy, { recursive: true });
      await requireRun(copy, "r2");
    });
    // Restored over the database, and the log is moved away.
    for (const name of ["capstan.db-wal", "capstan.db-shm"])
      await rm(join(dataDir, name), { force: true });
    await copyFile(backup, path);
    await requireRun(dataDir, "r1");

    await writeAndStop(dataDir, "r3");
    await withDataDir(async (other) => {
      await copyFile(path, join(other, "capstan.db"));
      await requireRun(other, "r3");
    });
    // A copy of an earlier clean stop.
    await copyFile(path, backup);
    await writeAndStop(dataDir, "r4");
    await copyFile(backup, path);
    await requireRun(dataDir, "r3");
  });
});
