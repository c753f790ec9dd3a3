import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { migratePostgres } from "../src/postgres/migrate-postgres.ts";
import { openPostgresStore } from "../src/postgres/open-postgres-store.ts";
import { requestOf } from "../src/records/run-request.ts";
import type { Store } from "../src/live/store.ts";
import { migrations } from "../src/schema/migrations.ts";
import { migrate } from "../src/sqlite/migrate.ts";
import { openForWriting } from "../src/sqlite/open-database.ts";
import { openStore } from "../src/sqlite/open-store.ts";
import { withDatabase } from "../src/testing/every-store.ts";
import { findPostgres } from "../src/testing/postgres-server.ts";
import {
  delta,
  end,
  owner,
  resultOf,
  settableClock,
  withDataDir,
  intact,
} from "../src/testing/store-fixtures.ts";

// A server wrote these rows before requests had versions, and was killed while an answer streamed.
const script = await readFile(new URL("database-of-schema-14.sql", import.meta.url), "utf8");
const schema14 = migrations.filter(({ version }) => version <= 14);

/** Shortly after the server was killed. */
const clock = settableClock(1_795_442_700_000);

const finished = "resp_resb86sg4x3z20sgjhbc93x8l";
const asking = "resp_uqrs3sxehrjvoxqofjcthnggv";
const killed = "resp_ykexeq64ek0zdhfgghxdpklkn";

async function readAndContinue(store: Store): Promise<void> {
  for (const id of [finished, asking, killed]) {
    const stored = await store.getRun({ owner, id });
    assert.equal(
      stored && requestOf(stored).servers[0]?.group,
      id === killed ? undefined : "files",
    );
  }
  const run = await store.getRun({ owner, id: finished });
  assert.equal(run?.status, "completed");
  assert.equal(run?.lastSeq, 19);
  const events = (await store.readEvents({ owner, runId: finished })) ?? [];
  assert.deepEqual(
    events.map(({ seq }) => seq),
    Array.from({ length: 19 }, (_, index) => index + 1),
  );
  const answer = events.findLast(({ type }) => type === "item.end");
  const pieces = events.flatMap((event) =>
    event.type === "item.delta" && answer?.type === "item.end" && event.itemId === answer.itemId
      ? [event.delta]
      : [],
  );
  assert.equal(pieces.join(""), answer?.type === "item.end" ? answer.text : "no answer");
  const messages = (await store.readMessages({ owner, runId: finished })) ?? [];
  assert.deepEqual(
    messages.map(({ role }) => role),
    ["user", "assistant", "assistant"],
  );
  const [call] = (await store.readCalls({ owner, runId: finished })) ?? [];
  assert.equal(call?.call.name, "ListFiles");
  const { data: conversations } = intact(await store.listConversations({ owner }));
  assert.deepEqual(
    conversations.map(({ headRunId }) => headRunId),
    [finished],
  );

  const { data: approvals } = intact(await store.listApprovals({ owner, runId: asking }));
  assert.deepEqual(
    approvals.map(({ status }) => status),
    ["pending"],
  );
  const [answered] = await store.write([
    {
      type: "answer-approval",
      owner,
      id: approvals[0]?.id ?? "",
      answer: { decision: "allow" },
    },
  ]);
  assert.equal(answered.status, "answered");

  const [claimed] = await store.write([{ type: "claim-run", runId: killed }]);
  assert.equal(claimed.status, "claimed");
  const [more] = await store.write([
    {
      type: "journal",
      runId: killed,
      epoch: 2,
      writes: [
        delta("it_ytb13k0w_1", " for you"),
        end(
          "it_ytb13k0w_1",
          "I am Capstan's offline model: no AI, a small program that runs the tools for you",
        ),
        resultOf("completed"),
      ],
    },
  ]);
  assert.equal(more.status, "committed");
  const continued = (await store.readEvents({ owner, runId: killed, after: 3 })) ?? [];
  assert.deepEqual(
    continued.map((event) => (event.type === "item.delta" ? event.delta : event.type)),
    [
      "I am Capstan's offline m",
      "odel: no AI, a small pro",
      "gram that runs the tools",
      " for you",
      "item.end",
    ],
  );
}

// Contract: durability-27
test("a data directory of schema 14 opens and its runs continue", async () => {
  await withDataDir(async (dataDir) => {
    const sql = openForWriting(join(dataDir, "capstan.db"), "process");
    migrate(sql, 0, schema14);
    sql.exec(script);
    sql.close();
    const store = await openStore({ dataDir, durability: "process", clock });
    try {
      await readAndContinue(store);
    } finally {
      await store.close();
    }
  });
});

const postgres = findPostgres();

test(
  "a PostgreSQL database of schema 14 opens and its runs continue",
  { skip: postgres.status === "missing" && postgres.reason },
  async () => {
    await withDatabase(async (client, connectionString) => {
      await migratePostgres(client, 0, schema14);
      // In schema 14, the rows of the tail have no number and no reference to a previous row.
      const rows = script.replaceAll(
        /INTO tail \(n, (.*), prev, (.*)\) VALUES \(\d+, (.*), (?:NULL|\d+), (.*)\);/g,
        "INTO tail ($1, $2) VALUES ($3, $4);",
      );
      await client.query(rows);
      await client.query("SELECT setval('run_numbers', 3)");
      const store = await openPostgresStore({ connectionString, clock });
      try {
        await readAndContinue(store);
      } finally {
        await store.close();
      }
    });
  },
);
