import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { SqliteChanges } from "../sqlite/sqlite-changes.ts";
import { corruptRows, fillChecksums } from "./fill-checksums.ts";
import { migrate } from "../sqlite/migrate.ts";
import { openForReading, openForWriting } from "../sqlite/open-database.ts";
import { openStore } from "../sqlite/open-store.ts";
import type { SqliteConnection } from "../sqlite/sqlite-connection.ts";
import {
  commit,
  createRun,
  delta,
  end,
  grantOf,
  owner,
  start,
  withDataDir,
} from "../testing/store-fixtures.ts";
import { checkStore } from "../upkeep/maintenance.ts";
import { checkedTables } from "./row-checksums.ts";

/** All stored content by table. Column names are case-insensitive. */
function contentOf(sql: SqliteConnection): readonly unknown[] {
  return checkedTables.map((table) =>
    sql.all<object>(`SELECT rowid, * FROM ${table} NOT INDEXED`).map((row) => Object.values(row)),
  );
}

async function problemsOf(dataDir: string): Promise<readonly string[]> {
  return checkStore({ dataDir }).then(
    ({ problems }) => problems,
    (error: Error) => [error.message],
  );
}

/** Runs, an approval, a grant and a conversation. */
async function writeSome(dataDir: string): Promise<() => Promise<void>> {
  const store = await openStore({ dataDir, durability: "process" });
  for (let n = 0; n < 20; n++) {
    await createRun(store, { id: `r${n}`, status: n % 3 === 0 ? "completed" : "in_progress" });
    if (n % 3 !== 0)
      await commit(store, `r${n}`, [
        start("i"),
        delta("i", "té"),
        end("i", "text ".repeat(n * 40)),
      ]);
  }
  await commit(store, "r1", [start("open"), delta("open", "under way")]);
  await store.write([
    { type: "create-grant", owner, sessionId: null, grant: grantOf("g", { scope: "always" }) },
    { type: "change-override", owner, tool: "files.*", change: { execution: "deny" } },
    { type: "create-conversation", id: "c", owner, title: "t", metadata: {}, switches: noSwitches },
  ]);
  return () => store.close();
}

const noSwitches = { groups: {}, tools: {} };

// Contract: durability-58
test("db check finds every flipped bit of the database that changes stored content", async () => {
  await withDataDir(async (dataDir) => {
    await (
      await writeSome(dataDir)
    )();
    await flipBits(dataDir);
  });
});

// Contract: durability-58
test("a flipped bit of the write-ahead log is found, or costs at most the last two commits", async () => {
  await withDataDir(async (dataDir) => {
    const close = await writeSome(dataDir);
    const writer = openForWriting(join(dataDir, "capstan.db"), "process");
    const reader = openForReading(join(dataDir, "capstan.db"));
    const states = [contentOf(reader)];
    for (const title of ["first", "second"]) {
      new SqliteChanges(writer).update("conversations", { id: "c" }, { title });
      states.push(contentOf(reader));
    }
    await withDataDir(async (copy) => {
      const path = join(copy, "capstan.db");
      const database = await readFile(join(dataDir, "capstan.db"));
      const log = await readFile(join(dataDir, "capstan.db-wal"));
      const used = usedLength(log);
      const place = fc.integer({ min: 0, max: used - 1 });
      await fc.assert(
        fc.asyncProperty(place, fc.integer({ min: 0, max: 7 }), async (at, bit) => {
          await writeFile(path, database);
          await writeFile(`${path}-wal`, flipBit(log, at, bit));
          if ((await problemsOf(copy)).length > 0) return;
          const sql = openForReading(path);
          try {
            const content = contentOf(sql);
            assert.ok(
              states.some((state) => isDeepStrictEqual(content, state)),
              `byte ${at}, bit ${bit}`,
            );
          } finally {
            sql.close();
          }
        }),
        { numRuns: 100 },
      );
    });
    reader.close();
    writer.close();
    await close();
  });
});

/** The length of a log up to its last valid frame; older frames may follow it. */
function usedLength(log: Buffer): number {
  const frameSize = 24 + 4_096;
  let at = 32;
  while (at + frameSize <= log.length && log.compare(log, 16, 24, at + 8, at + 16) === 0)
    at += frameSize;
  return at;
}

function flipBit(bytes: Buffer, at: number, bit: number): Buffer {
  const flipped = Buffer.from(bytes);
  flipped[at] = (flipped[at] ?? 0) ^ (1 << bit);
  return flipped;
}

async function flipBits(dataDir: string): Promise<void> {
  const path = join(dataDir, "capstan.db");
  const good = await readFile(path);
  const before = openForReading(path);
  const content = contentOf(before);
  before.close();
  assert.deepEqual(await problemsOf(dataDir), []);
  const place = fc.integer({ min: 4_096, max: good.length - 1 });
  await fc.assert(
    fc.asyncProperty(place, fc.integer({ min: 0, max: 7 }), async (at, bit) => {
      await writeFile(path, flipBit(good, at, bit));
      if ((await problemsOf(dataDir)).length > 0) return;
      const sql = openForReading(path);
      try {
        assert.ok(isDeepStrictEqual(contentOf(sql), content), `byte ${at}, bit ${bit}`);
      } finally {
        sql.close();
      }
    }),
    { numRuns: 200 },
  );
  await writeFile(path, good);
}

// Contract: durability-58
test("a check names the table and the row, and an update does not hide the damage", async () => {
  await withDataDir(async (dataDir) => {
    await (
      await writeSome(dataDir)
    )();
    const path = join(dataDir, "capstan.db");
    const bytes = await readFile(path);
    const at = bytes.indexOf("r7local");
    assert.ok(at > 0, "the row of the run");
    bytes[at + 2] = (bytes[at + 2] ?? 0) ^ 2;
    await writeFile(path, bytes);
    const damage = "Row 8 of the table runs is corrupt: its checksum does not match its cells.";
    assert.ok((await problemsOf(dataDir)).includes(damage));
    const sql = openForWriting(path, "process");
    new SqliteChanges(sql).update("runs", { n: 8 }, { title: "new" });
    new SqliteChanges(sql).update("runs", { n: 9 }, { title: "new" });
    sql.close();
    const problems = await problemsOf(dataDir);
    assert.ok(problems.includes(damage));
    assert.equal(problems.filter((problem) => problem.startsWith("Row ")).length, 1);
  });
});

test("the writer and SQLite compute the same checksum for all kinds of cells", async () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constant("\0\ud800é|"));
  const time = fc.maxSafeInteger();
  await withDataDir(async (dataDir) => {
    const sql = openForWriting(join(dataDir, "capstan.db"), "process");
    migrate(sql, 0);
    fillChecksums(sql, () => {});
    const changes = new SqliteChanges(sql);
    fc.assert(
      fc.property(text, fc.option(text), time, fc.option(time), (id, call, at, expires) => {
        sql.exec("DELETE FROM items; DELETE FROM grants");
        const grant = { id, owner, session_id: call, tool_id: "t", created_at: at };
        changes.insert("grants", { ...grant, expires_at: expires, data: id });
        const item = { run_n: 1, direction: "input", n: 1, owner, id, call_id: call, item: id };
        changes.insert("items", item);
        assert.deepEqual([...corruptRows(sql)], []);
        changes.update("grants", { owner }, { revoked_at: 5, session_id: id, expires_at: null });
        assert.deepEqual([...corruptRows(sql)], []);
      }),
    );
    sql.close();
  });
});
