import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { CommitEncoder, type WriteRequest } from "../../encode/run-commit.ts";
import type { RunJournalWrite, StoreWrite } from "../../records/store-writes.ts";
import { findPostgres, testServer } from "../../testing/postgres-server.ts";
import {
  approvalRequest,
  event,
  newRun,
  owner,
  resultOf,
  stopsFor,
  variableOf,
} from "../../testing/store-fixtures.ts";
import { openPostgresStore } from "../open-postgres-store.ts";
import { postgresWriter } from "./postgres-writer.ts";
import { connectWriter } from "./writer-connection.ts";

const postgres = findPostgres();
const options = { skip: postgres.status === "missing" && postgres.reason };

const request = (...writes: StoreWrite[]): WriteRequest => ({ at: 1_000, writes });

/** Writes batches, and counts what each sends. */
async function withWriter(
  use: (
    commit: (batch: readonly WriteRequest[]) => Promise<{
      readonly statuses: readonly (readonly string[])[];
      readonly sent: number;
    }>,
    client: pg.Client,
  ) => Promise<void>,
): Promise<void> {
  const connectionString = await (await testServer()).newDatabase();
  const store = await openPostgresStore({ connectionString });
  const connection = await connectWriter({ connectionString, applicationName: "test" }, "node_t");
  const client = new pg.Client({ connectionString });
  await client.connect();
  let sent = 0;
  const context = await connection.client();
  const query = context.query.bind(context) as (batch: unknown) => unknown;
  context.query = ((batch: unknown) => {
    sent += 1;
    return query(batch);
  }) as typeof context.query;
  const writer = postgresWriter({ connection, writerId: "node_t" });
  try {
    await use(async (batch) => {
      sent = 0;
      const results = await writer.commit(batch.map((each) => new CommitEncoder().encode(each)));
      const statuses = results.map((result) =>
        "error" in result ? [result.error.code] : result.outcomes.map(({ status }) => status),
      );
      return { statuses, sent };
    }, client);
  } finally {
    await writer.close();
    await client.end();
    await store.close();
  }
}

const created = (id: string) => request({ type: "create-run", run: newRun({ id }) });

const journal = (runId: string, epoch: number, ...writes: RunJournalWrite[]) =>
  request({ type: "journal", runId, epoch, writes });

function parked(runId: string): WriteRequest {
  const approval = approvalRequest(`q_${runId}`);
  const { callId } = approval;
  const change = { type: "set", variable: variableOf("v", "1") } as const;
  return journal(
    runId,
    1,
    event({ type: "approval.requested", callId, approval }),
    { type: "variable", change },
    stopsFor({ type: "approval", callId, approval }),
  );
}

const answered = (runId: string) =>
  request({
    type: "answer-approval",
    owner,
    id: `q_${runId}`,
    runId,
    answer: { decision: "allow" },
    claims: true,
  });

const ended = (runId: string) => journal(runId, 2, resultOf("completed"));

test(
  "a batch of many runs takes no more messages than one of two, and reads back nothing of those that waited",
  options,
  async () => {
    await withWriter(async (commit, client) => {
      const counts: number[][] = [];
      for (const size of [2, 24]) {
        const ids = Array.from({ length: size }, (_, index) => `run_${size}_${index}`);
        const messages: number[] = [];
        for (const what of [created, parked, answered, ended]) {
          const { statuses, sent } = await commit(ids.map(what));
          assert.deepEqual(statuses, Array(size).fill(statuses[0]));
          messages.push(sent);
        }
        counts.push(messages);
        const { rows } = await client.query(
          "SELECT status, count(*)::int FROM runs GROUP BY status",
        );
        assert.deepEqual(rows, [{ status: "completed", count: counts.length === 1 ? 2 : 26 }]);
      }
      assert.deepEqual(counts[1], counts[0]);
    });
  },
);

test(
  "of calls that are decided together those refused are undone, and no other",
  options,
  async () => {
    await withWriter(async (commit, client) => {
      const { statuses } = await commit([
        created("a"),
        request(
          { type: "create-run", run: newRun({ id: "b" }) },
          { type: "claim-run", runId: "nobody" },
        ),
        journal("a", 7, resultOf("completed")),
        created("a"),
        created("c"),
        // It was undone, and can be made.
        created("b"),
      ]);
      assert.deepEqual(statuses, [
        ["created"],
        ["skipped", "not_found"],
        ["fenced"],
        ["refused"],
        ["created"],
        ["created"],
      ]);
      const { rows } = await client.query("SELECT id FROM runs ORDER BY n");
      assert.deepEqual(rows, [{ id: "a" }, { id: "c" }, { id: "b" }]);
      const results = await client.query("SELECT * FROM run_results");
      assert.equal(results.rowCount, 0);
    });
  },
);

test(
  "runs get their numbers as they come, also where several calls make the same",
  options,
  async () => {
    await withWriter(async (commit, client) => {
      const { statuses } = await commit(["a", "a", "b", "c"].map(created));
      assert.deepEqual(statuses, [["created"], ["refused"], ["created"], ["created"]]);
      const { rows } = await client.query("SELECT id, n::int FROM runs ORDER BY n");
      assert.deepEqual(rows, [
        { id: "a", n: 1 },
        { id: "b", n: 3 },
        { id: "c", n: 4 },
      ]);
    });
  },
);

test("of two runs that answer one question the first one's answer counts", options, async () => {
  await withWriter(async (commit, client) => {
    // It leaves its question to the run that continues it.
    const approval = approvalRequest("q_a");
    const { callId, id: approvalId } = approval;
    await commit([created("a")]);
    const asked = event({ type: "approval.requested", callId, approval });
    await commit([journal("a", 1, asked, resultOf("completed"))]);
    await commit([created("b")]);
    const decision = { verdict: "refused", by: "person" } as const;
    const refused = event({ type: "approval.answered", callId, approvalId, at: 1_000, decision });
    // It is read what the run has before: its answer is a round behind the other's.
    const saved = { type: "save-items", runId: "b", direction: "input", items: [] } as const;
    const { statuses } = await commit([request(saved), journal("b", 1, refused), answered("a")]);
    assert.deepEqual(statuses, [["saved"], ["committed"], ["already_answered"]]);
    const { rows } = await client.query("SELECT status FROM approvals");
    assert.deepEqual(rows, [{ status: "refused" }]);
  });
});
