import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { Message } from "@capstan/core";
import { eventsIn, type EventsRow } from "../encode/event-layout.ts";
import { corruptRows, fillChecksums } from "./fill-checksums.ts";
import { corruptRow, postgresDamage, sqliteChecksum } from "./row-checksums.ts";
import { SqliteChanges } from "../sqlite/sqlite-changes.ts";
import { migrate } from "../sqlite/migrate.ts";
import { migrations } from "./migrations.ts";
import { migratePostgres } from "../postgres/migrate-postgres.ts";
import { openPostgresStore } from "../postgres/open-postgres-store.ts";
import { readManifestEntries } from "../read/manifest.ts";
import { SqliteConnection } from "../sqlite/sqlite-connection.ts";
import type { Store } from "../live/store.ts";
import { openStore } from "../sqlite/open-store.ts";
import { withDatabase } from "../testing/every-store.ts";
import { findPostgres } from "../testing/postgres-server.ts";
import { callRecord, commit, variableOf, withDataDir } from "../testing/store-fixtures.ts";

/** A database of an old schema version, filled and then migrated. */
function from(version: number, fill: (sql: SqliteConnection) => void): SqliteConnection {
  const sql = new SqliteConnection(new DatabaseSync(":memory:"));
  const then = migrations.filter((step) => step.version <= version);
  migrate(sql, 0, then);
  fill(sql);
  migrate(sql, 0);
  return sql;
}

test("step 10 keeps the changes of variables of a run in progress", () => {
  const { value: _value, ...info } = variableOf('odd "name"\0', "text");
  const sql = from(9, (old) => {
    const keep = (n: number, name: string, entry: unknown) =>
      old.run(
        "INSERT INTO run_variables VALUES (1, ?, 'local', ?, ?)",
        n,
        name,
        entry === null ? null : JSON.stringify(entry),
      );
    keep(1, info.name, { ...info, digest: "d" });
    keep(2, "gone", { ...info, name: "gone", type: "USER_ADD", digest: "e" });
    keep(3, "gone", null);
    keep(4, info.name, { evicted: true });
  });
  fillChecksums(sql, () => {});
  const run = { n: 1, session_id: "s", base_manifest: null, manifest: null };
  const entries = sql.script(readManifestEntries(run));
  assert.deepEqual([...entries], [[info.name, { ...info, digest: "d", evicted: true }]]);
});

test("step 13 keeps the events of a commit under their numbers", () => {
  const note = (n: number) => ({ type: "round.started", round: n, at: 1 });
  const sql = from(12, (old) => {
    const row = (seq: number, type: string, rest: [number | null, string | null, unknown]) =>
      old.run(
        "INSERT INTO run_events VALUES (1, ?, 'local', ?, ?, ?, ?)",
        seq,
        type,
        rest[0],
        rest[1],
        JSON.stringify(rest[2]),
      );
    row(2, "events", [1, null, { seqs: [1, 2], events: [note(1), note(2)] }]);
    row(5, "item.end", [4, "4:1", { type: "item.end", itemId: "a", text: "x" }]);
    row(9, "events", [3, null, { seqs: [3, 6, 7, 9], events: [3, 6, 7, 9].map(note) }]);
  });
  const rows = sql.all<EventsRow & { type: string; from_seq: number | null }>(
    "SELECT seq, type, from_seq, cuts, events FROM run_journal ORDER BY seq",
  );
  const [first, item, second] = rows;
  assert.deepEqual([item?.from_seq, item?.cuts], [4, "4:1"]);
  assert.deepEqual([first?.from_seq, second?.from_seq], [null, null]);
  const numbers = [first!, second!].map((row) =>
    eventsIn(row).map(({ seq, ...rest }) => [seq, rest]),
  );
  assert.deepEqual(
    numbers,
    [
      [1, 2],
      [3, 6, 7, 9],
    ].map((seqs) => seqs.map((seq) => [seq, note(seq)])),
  );
});

const odd = 'odd "text" \0 \ud800';
const oldCall = callRecord("c1", { status: "outcome_unknown", argumentsText: odd });
const clientCall = callRecord("c2", { owner: "client", status: "waiting" });
const oldMessages: readonly Message[] = [
  { role: "user", content: odd },
  { role: "assistant", content: "second" },
];

/**
 * Two runs of version 13: one with two messages, two calls and two events, and one that has not
 * started.
 */
const filled = [
  ...["r", "new"].flatMap((id, index) => [
    `INSERT INTO runs (n, id, owner, session_id, kind, status, epoch, stored, model, created_at, updated_at)
     VALUES (${index + 1}, '${id}', 'local', '${id}', 'turn', 'in_progress', 1, 1, 'm', 1, 2)`,
    `INSERT INTO run_requests VALUES (${index + 1}, 'local', '{}', '[]')`,
    `INSERT INTO run_messages VALUES (${index + 1}, 1, 'local', 0, ${literal(oldMessages[0])})`,
  ]),
  `INSERT INTO run_messages VALUES (1, 2, 'local', 1, ${literal(oldMessages[1])})`,
  `INSERT INTO run_calls VALUES (1, 'c1', 1, 'local', 'outcome_unknown', 7, ${literal(oldCall)})`,
  `INSERT INTO run_calls VALUES (1, 'c2', 2, 'local', 'waiting', 8, ${literal(clientCall)})`,
  `INSERT INTO run_events VALUES (1, 2, 'local', 'events', NULL, NULL,
     '[{"type":"run.heartbeat","at":1},{"type":"run.heartbeat","at":2}]')`,
];

function literal(value: unknown): string {
  return `'${JSON.stringify(value).replaceAll("'", "''")}'`;
}

/** The result of step 14 can be read, and its runs continue. */
async function checkStep14(store: Store): Promise<void> {
  const query = { owner: "local", runId: "r" };
  assert.deepEqual(await store.readMessages(query), oldMessages);
  assert.deepEqual(await store.readCalls(query), [
    { runId: "r", call: oldCall, updatedAt: 7 },
    { runId: "r", call: clientCall, updatedAt: 8 },
  ]);
  assert.deepEqual(
    (await store.readEvents(query))?.map(({ seq }) => seq),
    [1, 2],
  );
  assert.equal((await store.findRun({ owner: "local", callId: "c2" }))?.id, "r");
  const unknown = await store.searchRuns({ owner: "local", outcome: "unknown" });
  assert.deepEqual(
    unknown.data.map(({ id }) => id),
    ["r"],
  );
  const message = { role: "assistant", content: "third" } as const;
  const call = { ...clientCall, status: "succeeded" } as const;
  await commit(store, "r", [
    { type: "message", round: 1, message },
    { type: "call", call },
  ]);
  await commit(store, "new", [{ type: "message", round: 1, message }]);
  const chain = await store.readChain(query);
  assert.deepEqual(chain?.messages, [...oldMessages, message]);
  assert.deepEqual(chain?.calls, [oldCall, call]);
  const begun = await store.readMessages({ ...query, runId: "new" });
  assert.deepEqual(begun, [oldMessages[0], message]);
}

test("step 14 moves messages and calls into the journal of their run (SQLite)", async () => {
  await withDataDir(async (dataDir) => {
    const sql = new SqliteConnection(new DatabaseSync(join(dataDir, "capstan.db")));
    migrate(
      sql,
      0,
      migrations.filter(({ version }) => version <= 13),
    );
    for (const statement of filled) sql.exec(statement);
    sql.close();
    const store = await openStore({ dataDir, durability: "process" });
    try {
      await checkStep14(store);
    } finally {
      await store.close();
    }
  });
});

const postgres = findPostgres();

test(
  "step 14 moves messages and calls into the journal of their run (PostgreSQL)",
  { skip: postgres.status === "missing" && postgres.reason },
  async () => {
    await withDatabase(async (client, connectionString) => {
      await migratePostgres(
        client,
        0,
        migrations.filter(({ version }) => version <= 13),
      );
      for (const statement of filled) await client.query(statement);
      const store = await openPostgresStore({ connectionString });
      try {
        await checkStep14(store);
      } finally {
        await store.close();
      }
    });
  },
);

/** A database of version 17 with grants. */
const filled17 = [3, 1, 2].map(
  (at, n) => `INSERT INTO grants (id, owner, tool_id, created_at, data)
      VALUES ('g${n}', 'local', 't', ${at}, '${JSON.stringify({ id: `g${n}` })}')`,
);

test("step 18 keeps the order of insertion, intact rows intact and corrupt rows corrupt (SQLite)", () => {
  const sql = from(17, (old) => {
    for (const statement of filled17) old.exec(statement);
    const checksum = sqliteChecksum("grants", undefined, ["created_seq"]);
    old.exec(`DELETE FROM unchecked_tables; UPDATE grants SET checksum = ${checksum}`);
    old.exec("UPDATE grants SET tool_id = 'x' WHERE id = 'g1'");
  });
  const rows = sql.all<{ id: string; created_seq: number }>(
    "SELECT id, created_seq FROM grants ORDER BY created_seq",
  );
  assert.deepEqual(
    rows.map(({ id }) => id),
    ["g0", "g1", "g2"],
  );
  assert.deepEqual([...corruptRows(sql)], [corruptRow("grants", "g1")]);
  new SqliteChanges(sql).insert("grants", {
    id: "new",
    owner: "local",
    session_id: null,
    tool_id: "t",
    created_at: -5,
    expires_at: null,
    data: "{}",
  });
  const [last] = sql.all<{ id: string }>("SELECT id FROM grants ORDER BY created_seq DESC");
  assert.equal(last?.id, "new");
});

test(
  "step 18 keeps the order of creation, intact rows intact and corrupt rows corrupt (PostgreSQL)",
  { skip: postgres.status === "missing" && postgres.reason },
  async () => {
    await withDatabase(async (client) => {
      const then = migrations.filter(({ version }) => version <= 17);
      await migratePostgres(client, 0, then);
      for (const statement of filled17) await client.query(statement);
      await client.query(`ALTER TABLE grants DISABLE TRIGGER mark_damaged`);
      await client.query("UPDATE grants SET is_damaged = TRUE WHERE id = 'g1'");
      await client.query(`ALTER TABLE grants ENABLE TRIGGER mark_damaged`);
      await migratePostgres(client, 0);
      await client.query(
        "INSERT INTO grants (id, owner, tool_id, created_at, data) VALUES ('new', 'local', 't', -5, '{}')",
      );
      const { rows } = await client.query<{ id: string; corrupt: boolean }>(
        `SELECT id, ${postgresDamage("grants")} AS corrupt FROM grants ORDER BY created_seq`,
      );
      assert.deepEqual(rows, [
        { id: "g1", corrupt: true },
        { id: "g2", corrupt: false },
        { id: "g0", corrupt: false },
        { id: "new", corrupt: false },
      ]);
    });
  },
);

const filled25 = [
  "INSERT INTO conversations (id, owner, title, metadata, switches, created_at, updated_at) VALUES ('c1', 'local', 'a', '{}', '{}', 1, 1)",
  "INSERT INTO conversations (id, owner, title, metadata, switches, created_at, updated_at) VALUES ('c2', 'local', 'b', '{}', '{}', 2, 2)",
];

test("step 26 keeps intact rows intact and corrupt rows corrupt (SQLite)", () => {
  const sql = from(25, (old) => {
    for (const statement of filled25) old.exec(statement);
    const checksum = sqliteChecksum("conversations", undefined, ["state"]);
    old.exec(`DELETE FROM unchecked_tables; UPDATE conversations SET checksum = ${checksum}`);
    old.exec("UPDATE conversations SET title = 'x' WHERE id = 'c1'");
  });
  assert.deepEqual([...corruptRows(sql)], [corruptRow("conversations", "c1")]);
  const rows = sql.all<{ state: string }>("SELECT state FROM conversations");
  assert.deepEqual(
    rows.map(({ state }) => state),
    ["open", "open"],
  );
});

test(
  "step 26 keeps intact rows intact and corrupt rows corrupt (PostgreSQL)",
  { skip: postgres.status === "missing" && postgres.reason },
  async () => {
    await withDatabase(async (client) => {
      const then = migrations.filter(({ version }) => version <= 25);
      await migratePostgres(client, 0, then);
      for (const statement of filled25) await client.query(statement);
      await client.query("ALTER TABLE conversations DISABLE TRIGGER mark_damaged");
      await client.query("UPDATE conversations SET is_damaged = TRUE WHERE id = 'c1'");
      await client.query("ALTER TABLE conversations ENABLE TRIGGER mark_damaged");
      await migratePostgres(client, 0);
      const { rows } = await client.query<{ id: string; corrupt: boolean; state: string }>(
        `SELECT id, state, ${postgresDamage("conversations")} AS corrupt FROM conversations ORDER BY id`,
      );
      assert.deepEqual(rows, [
        { id: "c1", state: "open", corrupt: true },
        { id: "c2", state: "open", corrupt: false },
      ]);
    });
  },
);
