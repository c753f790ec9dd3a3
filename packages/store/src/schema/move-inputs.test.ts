import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import pg from "pg";
import { MemoryBlobs } from "../blobs/blob-store.ts";
import { DiskBlobs } from "../blobs/disk-blobs.ts";
import { migratePostgres } from "../postgres/migrate-postgres.ts";
import { openPostgresStore } from "../postgres/open-postgres-store.ts";
import type { Store } from "../live/store.ts";
import { migrate, migrationSql } from "../sqlite/migrate.ts";
import { openForWriting } from "../sqlite/open-database.ts";
import { openStore } from "../sqlite/open-store.ts";
import { findPostgres, testServer } from "../testing/postgres-server.ts";
import { owner, resultOf, withDataDir } from "../testing/store-fixtures.ts";
import { migrations } from "./migrations.ts";
import { moveInputs } from "./move-inputs.ts";

const long = "it's long\u0000 ".repeat(10_000);
const runs = 7;

const before = migrations.filter(({ version }) => version <= 14);
const inputOf = (n: number) => [{ type: "message", role: "user", content: `${n} ${long}` }];
const messagesOf = (n: number) => [{ role: "user" as const, content: `${n} said ${long}` }];
const contextOf = (n: number) => [{ role: "user" as const, content: `${n} before ${long}` }];
const result = { ...resultOf("completed").result, answer: long, log: { replay: `log ${long}` } };

/** Runs as version 14 stored them, all in their rows; the last one cannot be read. */
function rowsOf14(): string[] {
  const text = (value: unknown) => `'${JSON.stringify(value).replaceAll("'", "''")}'`;
  return Array.from({ length: runs }, (_, index) => {
    const n = index + 1;
    const input = n === runs ? `'[${"{".repeat(40_000)}'` : text(inputOf(n));
    return [
      `INSERT INTO runs (n, id, owner, session_id, kind, status, epoch, stored, model, created_at, updated_at, ended_at)
       VALUES (${n}, 'r${n}', '${owner}', 'r${n}', 'turn', 'completed', 1, 1, 'm', 1, 2, 2)`,
      `INSERT INTO run_requests VALUES (${n}, '${owner}', ${text({ context: contextOf(n) })}, ${input})`,
      `INSERT INTO run_results VALUES (${n}, '${owner}', ${text(result)})`,
      `INSERT INTO run_journal (run_n, seq, nth, owner, at, messages)
       VALUES (${n}, 0, 1, '${owner}', 1, ${text(messagesOf(n))})`,
    ];
  }).flat();
}

async function checkMoved(store: Store): Promise<void> {
  for (let n = 1; n < runs; n++) {
    const query = { owner, runId: `r${n}` };
    const run = await store.getRun({ owner, id: `r${n}` });
    assert.ok(JSON.stringify(run).length < 20_000);
    assert.deepEqual(await store.readInput(query), inputOf(n));
    assert.deepEqual(await store.readMessages(query), messagesOf(n));
    const { context } = (run?.request ?? {}) as unknown as { context: [] };
    assert.deepEqual(await store.readList(context), contextOf(n));
    const [line] = (await store.ancestors(query)) ?? [];
    assert.equal(line?.run.result?.log?.replay, result.log.replay);
  }
  await store.write([{ type: "delete-run", owner, id: "r1" }]);
  await store.collectBlobs();
  assert.deepEqual(await store.readInput({ owner, runId: "r2" }), inputOf(2));
}

// Contract: durability-60
test("long inputs of version 14 are moved even if the move is interrupted between any two steps (SQLite)", async () => {
  await withDataDir(async (dataDir) => {
    const path = join(dataDir, "capstan.db");
    const sql = openForWriting(path, "process");
    migrate(sql, 0, before);
    for (const statement of rowsOf14()) sql.exec(statement);
    migrate(sql, 0);
    const blobs = new DiskBlobs(join(dataDir, "blobs"));
    for (let puts = 0; puts < 8; puts += 1) {
      let left = puts;
      const failing = {
        put: async (blob: { sha256: string; bytes: Uint8Array }) => {
          if ((left -= 1) < 0) throw new Error("cut off");
          await blobs.put(blob);
        },
      };
      await moveInputs(migrationSql(sql), failing).catch(() => {});
    }
    sql.close();
    const store = await openStore({ dataDir, durability: "process" });
    try {
      await checkMoved(store);
    } finally {
      await store.close();
    }
    const again = openForWriting(path, "process");
    assert.deepEqual(again.all("SELECT * FROM unmoved_runs"), []);
    again.close();
  });
});

test("a start without inputs to move reads one row", async () => {
  await withDataDir(async (dataDir) => {
    const sql = openForWriting(join(dataDir, "capstan.db"), "process");
    migrate(sql, 0);
    const lines: string[] = [];
    await moveInputs(migrationSql(sql), new MemoryBlobs(), (line) => void lines.push(line));
    assert.deepEqual(lines, []);
    sql.close();
  });
});

const postgres = findPostgres();

// Contract: durability-60
test(
  "long inputs of version 14 are moved by one of several nodes that start (PostgreSQL)",
  { skip: postgres.status === "missing" && postgres.reason },
  async () => {
    const connectionString = await (await testServer()).newDatabase();
    const client = new pg.Client({ connectionString });
    await client.connect();
    await migratePostgres(client, 0, before);
    for (const statement of rowsOf14()) await client.query(statement);
    await client.end();
    const options = { connectionString, connections: 2 };
    const stores = await Promise.all([openPostgresStore(options), openPostgresStore(options)]);
    try {
      await checkMoved(stores[0]);
    } finally {
      await Promise.all(stores.map((store) => store.close()));
    }
  },
);
