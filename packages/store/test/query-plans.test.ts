import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { getApproval, listApprovals } from "../src/read/permissions/read-approvals.ts";
import { readVariables } from "../src/read/read-variables.ts";
import type { Script, Statement } from "../src/sql/script.ts";
import { plainStatement } from "../src/testing/plain-statement.ts";
import { findPostgres, testServer } from "../src/testing/postgres-server.ts";
import { readEventPage } from "../src/read/read-events.ts";
import { openPostgresStore } from "../src/postgres/open-postgres-store.ts";
import { LaneChanges, PendingChanges } from "../src/postgres/write/pending-changes.ts";
import { runScript, send, sendAll } from "../src/postgres/wire/statements.ts";

const postgres = findPostgres();
const options = { skip: postgres.status === "missing" && postgres.reason };
const owner = "one owner of everything";

/**
 * 2,000 runs of one owner, each with an approval request and a variable that has the same value in
 * all.
 */
const fill = [
  `INSERT INTO runs (n, id, owner, session_id, kind, status, epoch, stored, model, manifest, created_at, updated_at)
   SELECT n, 'run_' || n, '${owner}', 's' || n, 'turn', 'requires_action', 1, 1, 'm', 'all', n, n
   FROM generate_series(1, 2000) AS n`,
  `INSERT INTO approvals (id, owner, run_n, call_id, status, created_at, expires_at, request)
   SELECT 'appr_' || n, '${owner}', n, 'c', 'pending', n, n, '{}' FROM generate_series(1, 2000) AS n`,
  `INSERT INTO variable_values (owner, digest, session_id, bytes, value)
   SELECT '${owner}', 'd', 's' || n, 3, '"v"' FROM generate_series(1, 2000) AS n`,
  `INSERT INTO manifests (session_id, digest, owner, entries)
   SELECT 's' || n, 'all', '${owner}', '{"V_1":{"digest":"d","bytes":3}}' FROM generate_series(1, 2000) AS n`,
  `INSERT INTO run_journal (run_n, seq, nth, at, owner, type, events)
   SELECT n, 1, 0, 1, '${owner}', 'run.heartbeat', '{"type":"run.heartbeat","at":1}' FROM generate_series(1, 2000) AS n`,
];

const reads: { readonly [name: string]: () => Script<unknown> } = {
  "a question": () => getApproval({ owner, id: "appr_1000" }),
  "a run's questions": () => listApprovals({ owner, runId: "run_1000" }),
  "new events of a run": () =>
    readEventPage({
      owner,
      runId: "run_1000",
      after: 0,
      limit: 256,
      position: undefined,
      now: 1,
    }),
  "a run's variables": () => readVariables({ owner, runId: "run_1000" }),
};

/** Changes to a few runs, each in one statement. */
function changes(): readonly Statement[] {
  const pending = new PendingChanges();
  const given = new LaneChanges(pending);
  for (const n of [1000, 1001]) {
    given.update("runs", { n }, { status: "queued" });
    given.update("approvals", { run_n: n, status: "pending" }, { answered_at: 1 });
    given.update("approvals", { id: `appr_${n}`, owner, status: "pending" }, { answered_at: 1 });
    given.remove("run_journal", { run_n: n, seq: 1 });
  }
  return pending.flush();
}

interface Plan {
  readonly Plan: PlanNode;
}

interface PlanNode {
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly "Rows Removed by Join Filter"?: number;
  readonly Plans?: readonly PlanNode[];
}

/** Returns the number of rows that a statement read. */
async function rowsSeen(client: pg.Client, { sql, values }: Statement): Promise<number> {
  const [row] = await send(
    client,
    plainStatement(`EXPLAIN (ANALYZE, FORMAT JSON) ${sql.postgres}`, ...values),
  );
  const { "QUERY PLAN": plans } = row as { readonly "QUERY PLAN": readonly Plan[] };
  return plans.reduce((sum, { Plan: plan }) => sum + seenBy(plan), 0);
}

function seenBy(node: PlanNode): number {
  const dropped =
    (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Join Filter"] ?? 0);
  const below = (node.Plans ?? []).reduce((sum, each) => sum + seenBy(each), 0);
  return (node["Actual Rows"] + dropped) * node["Actual Loops"] + below;
}

test("reads and changes by key do not read all rows of the owner", options, async () => {
  const connectionString = await (await testServer()).newDatabase();
  const store = await openPostgresStore({ connectionString });
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    for (const text of fill) await client.query(text);
    // Before and after PostgreSQL has analyzed the tables.
    for (const counted of [false, true]) {
      if (counted) await client.query("ANALYZE");
      for (const [name, script] of Object.entries(reads)) {
        let seen = 0;
        const found = await runScript(script(), async (statements) => {
          for (const statement of statements) seen += await rowsSeen(client, statement);
          return sendAll(client, statements);
        });
        assert.ok(found, name);
        assert.ok(seen < 300, `${name}: ${seen} rows${counted ? "" : ", not counted yet"}`);
      }
      for (const statement of changes()) {
        const seen = await rowsSeen(client, statement);
        assert.ok(seen < 300, `${statement.sql.postgres}: ${seen} rows`);
      }
    }
  } finally {
    await client.end();
    await store.close();
  }
});
