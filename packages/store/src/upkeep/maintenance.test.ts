import assert from "node:assert/strict";
import { copyFile, mkdir, open, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { readUsage } from "./prune-store.ts";
import { backupStore, checkStore, vacuumStore } from "./maintenance.ts";
import { migrate } from "../sqlite/migrate.ts";
import { migrations } from "../schema/migrations.ts";
import { openForWriting } from "../sqlite/open-database.ts";
import { openStore } from "../sqlite/open-store.ts";
import { SqliteChanges } from "../sqlite/sqlite-changes.ts";
import {
  commit,
  createRun,
  delta,
  end,
  owner,
  resultOf,
  start,
  withDataDir,
  withFileStore,
} from "../testing/store-fixtures.ts";

/** A run that ended, with deltas; one item has no end. */
const said = [
  start("i"),
  delta("i", "one "),
  delta("i", "two"),
  end("i", "one two"),
  start("j"),
  delta("j", "cut"),
  resultOf("error"),
];

test("a store in use can be checked and is intact", async () => {
  await withFileStore(async (store, dataDir) => {
    await createRun(store, { id: "ended" });
    await commit(store, "ended", said);
    await createRun(store, { id: "running" });
    await commit(store, "running", [start("i"), delta("i", "a")]);
    const { runs, problems } = await checkStore({ dataDir });
    assert.deepEqual([runs, problems], [2, []]);
  });
});

test("a check finds a missing event, a row without a run, and a corrupt page", async () => {
  await withDataDir(async (dataDir) => {
    const store = await openStore({ dataDir, durability: "process" });
    await createRun(store, { id: "r" });
    await commit(store, "r", said);
    await store.close();
    const path = join(dataDir, "capstan.db");
    const sql = openForWriting(path, "process");
    sql.exec("DELETE FROM run_journal WHERE type = 'events'");
    const row = {
      type: null,
      from_seq: null,
      cuts: null,
      events: null,
      messages: null,
      calls: null,
    };
    const ofNone = { run_n: 9, seq: 1, nth: 0, owner: "", at: 0, ...row };
    new SqliteChanges(sql).insert("run_journal", ofNone);
    sql.close();
    const { problems } = await checkStore({ dataDir });
    assert.deepEqual(problems, [
      "Run r has 1 events, and the last one has the number 6.",
      "1 rows of run_journal belong to no run.",
    ]);
    const file = await open(path, "r+");
    await file.write(Buffer.alloc(4_096, 0xff), 0, 4_096, 3 * 4_096);
    await file.close();
    const corrupt = await checkStore({ dataDir }).then(
      (check) => check.problems.join(" "),
      (error: Error) => error.message,
    );
    assert.notEqual(corrupt, "");
  });
});

test("a backup of a store in use is a complete store, for this user only, and replaces no file", async () => {
  await withFileStore(async (store, dataDir) => {
    await createRun(store, { id: "r" });
    await commit(store, "r", said);
    const to = join(dataDir, "copy.db");
    await backupStore(dataDir, to);
    assert.equal((await stat(to)).mode & 0o777, 0o600);
    await assert.rejects(backupStore(dataDir, to), { code: "backup_exists" });
    const elsewhere = join(dataDir, "elsewhere");
    await mkdir(elsewhere);
    await copyFile(to, join(elsewhere, "capstan.db"));
    const copy = await openStore({ dataDir: elsewhere, durability: "process" });
    assert.deepEqual(
      await copy.readEvents({ owner, runId: "r" }),
      await store.readEvents({ owner, runId: "r" }),
    );
    await copy.close();
  });
});

test("an error about a backup that cannot be written says where one can be, and a failed backup leaves no file", async () => {
  await withDataDir(async (dataDir) => {
    await writeFile(join(dataDir, "capstan.db"), "no database at all ".repeat(100));
    await assert.rejects(backupStore(dataDir, join(dataDir, "none", "copy.db")), {
      code: "backup_unwritable",
      message: /Name a file in an existing folder/,
    });
    const to = join(dataDir, "copy.db");
    await assert.rejects(backupStore(dataDir, to), { code: "database_corrupt" });
    await assert.rejects(stat(to), { code: "ENOENT" });
  });
});

test("a vacuum shrinks the file after a deletion, and locks the store", async () => {
  await withDataDir(async (dataDir) => {
    const store = await openStore({ dataDir, durability: "process" });
    await createRun(store, { id: "r" });
    await commit(store, "r", [start("i"), end("i", "x".repeat(1_000_000)), resultOf("completed")]);
    await store.write([{ type: "delete-run", owner, id: "r" }]);
    await assert.rejects(vacuumStore(dataDir), { code: "data_directory_locked" });
    await store.close();
    const { before, after } = await vacuumStore(dataDir);
    assert.ok(after < before - 900_000, `${before} to ${after}`);
    assert.deepEqual((await checkStore({ dataDir })).problems, []);
  });
});

test("a store of an older version can be backed up, and errors of readers say what to do first", async () => {
  await withDataDir(async (dataDir) => {
    const sql = openForWriting(join(dataDir, "capstan.db"), "process");
    migrate(sql, 0, migrations.slice(0, -1));
    sql.close();
    const older = { code: "database_older", message: /Start this version's server once/ };
    await assert.rejects(checkStore({ dataDir }), older);
    await assert.rejects(readUsage({ dataDir }), older);
    await assert.rejects(vacuumStore(dataDir), older);
    await backupStore(dataDir, join(dataDir, "copy.db"));
    await (await openStore({ dataDir, durability: "process" })).close();
    assert.deepEqual((await checkStore({ dataDir })).problems, []);
  });
});

// Contract: durability-64
test("a store of a newer version is backed up unchanged, and keeps every byte", async () => {
  await withDataDir(async (dataDir) => {
    const path = join(dataDir, "capstan.db");
    const sql = openForWriting(path, "process");
    migrate(sql, 0);
    sql.close();
    const database = new DatabaseSync(path);
    // Another version may have set this journal mode.
    database.exec("PRAGMA journal_mode = DELETE; INSERT INTO schema_migrations VALUES (999, 0)");
    database.close();
    const before = await readFile(path);
    const newer = { code: "database_newer", message: /number 999/ };
    await assert.rejects(vacuumStore(dataDir), newer);
    await assert.rejects(checkStore({ dataDir }), newer);
    await assert.rejects(openStore({ dataDir }), newer);
    await backupStore(dataDir, join(dataDir, "copy.db"));
    assert.deepEqual(await readFile(path), before);
  });
});

test("a store that was killed during its first change is created again", async () => {
  await withDataDir(async (dataDir) => {
    const path = join(dataDir, "capstan.db");
    const database = new DatabaseSync(join(dataDir, "other.db"));
    // Changes that do not fit into memory are written to the file before the commit, and the
    // rollback journal next to it undoes them.
    database.exec("PRAGMA cache_size = 2; BEGIN; CREATE TABLE half (x)");
    for (let n = 0; n < 100; n++) database.exec("INSERT INTO half VALUES (randomblob(500))");
    await copyFile(join(dataDir, "other.db"), path);
    await copyFile(join(dataDir, "other.db-journal"), `${path}-journal`);
    database.close();
    await (await openStore({ dataDir, durability: "process" })).close();
    assert.deepEqual((await checkStore({ dataDir })).problems, []);
  });
});

test("a missing store is reported, and none is created", async () => {
  await withDataDir(async (dataDir) => {
    const to = join(dataDir, "copy.db");
    const wishes = [
      () => checkStore({ dataDir }),
      () => backupStore(dataDir, to),
      () => vacuumStore(dataDir),
    ];
    for (const wish of wishes) await assert.rejects(wish, { code: "no_store" });
    await assert.rejects(readFile(to));
    await writeFile(to, "");
  });
});
