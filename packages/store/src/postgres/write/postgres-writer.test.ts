import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { CommitEncoder, type WriteRequest } from "../../encode/run-commit.ts";
import type { RunJournalWrite, StoreWrite } from "../../records/store-writes.ts";
import { findPostgres, testServer } from "../../testing/postgres-server.ts";
import { approvalRequest, event, newRun, owner, resultOf } from "../../testing/store-fixtures.ts";
import type { WriteResult } from "../../records/write-results.ts";
import { openPostgresStore } from "../open-postgres-store.ts";
import { postgresWriter } from "./postgres-writer.ts";
import { connectWriter } from "./writer-connection.ts";

const postgres = findPostgres();
const options = { skip: postgres.status === "missing" && postgres.reason };
const applicationName = "capstan under test";

type Calls = readonly StoreWrite[];
const created = (id: string): StoreWrite => ({ type: "create-run", run: newRun({ id }) });
const noted = (runId: string): StoreWrite => {
  const writes = [event({ type: "run.heartbeat", at: 1 })];
  return { type: "journal", runId, epoch: 1, writes };
};

interface Batches {
  /** Commits batches sequentially. */
  readonly both: (first: Calls, second: Calls) => Promise<readonly (readonly string[])[]>;
  readonly client: pg.Client;
  /** Commits a batch. */
  readonly commit: (requests: readonly WriteRequest[]) => Promise<readonly (readonly string[])[]>;
  /** Called before each message is sent. */
  onSent: () => void;
}

async function withBatches(use: (batches: Batches) => Promise<void>): Promise<void> {
  const connectionString = await (await testServer()).newDatabase();
  const store = await openPostgresStore({ connectionString });
  const client = new pg.Client({ connectionString });
  await client.connect();
  const connection = await connectWriter({ connectionString, applicationName }, "node_t");
  const context = await connection.client();
  const query = context.query.bind(context) as (sent: unknown) => unknown;
  context.query = ((sent: unknown) => {
    batches.onSent();
    return query(sent);
  }) as typeof context.query;
  const writer = postgresWriter({ connection, writerId: "node_t" });
  const batches: Batches = {
    client,
    onSent: () => {},
    commit: async (requests) => {
      const encoder = new CommitEncoder();
      return (await writer.commit(requests.map((each) => encoder.encode(each)))).map(statusesOf);
    },
    both: async (first, second) => [
      (await batches.commit(first.map((write) => request(write)))).flat(),
      (await batches.commit(second.map((write) => request(write)))).flat(),
    ],
  };
  try {
    await use(batches);
  } finally {
    await writer.stop();
    await client.end();
    await store.close();
  }
}

const request = (...writes: StoreWrite[]): WriteRequest => ({ at: 1_000, writes });

const statusesOf = (result: WriteResult): readonly string[] =>
  "error" in result ? [result.error.code] : result.outcomes.map(({ status }) => status);

const eventsOf = async (client: pg.Client) =>
  (
    await client.query<{ id: string; n: number }>(
      "SELECT r.id, count(j.*)::int AS n FROM runs r LEFT JOIN run_journal j ON j.run_n = r.n GROUP BY r.id ORDER BY r.id",
    )
  ).rows;

test("a batch sees the writes of the batch before it", options, async () => {
  await withBatches(async ({ both, client }) => {
    const statuses = await both([created("a")], [noted("a"), created("b")]);
    assert.deepEqual(statuses, [["created"], ["committed", "created"]]);
    assert.deepEqual(await eventsOf(client), [
      { id: "a", n: 1 },
      { id: "b", n: 0 },
    ]);
  });
});

/**
 * Ways in which a first batch with `bad` fails: when its row is written or at the commit; once or
 * every time.
 */
const faults = [
  { when: "immediately", code: "40001", times: 1 },
  { when: "at its commit", code: "40001", times: 1 },
  { when: "immediately", code: "23514", times: 100 },
  { when: "at its commit", code: "23514", times: 100 },
] as const;

for (const { when, code, times } of faults) {
  test(
    `if a batch fails ${when} with ${code}, nothing is applied twice, and the next one succeeds`,
    options,
    async () => {
      await withBatches(async ({ both, client }) => {
        await client.query(`
          CREATE SEQUENCE tried;
          CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF nextval('tried') <= ${times} THEN RAISE 'refused' USING ERRCODE = '${code}'; END IF;
            RETURN NULL;
          END $$;
          CREATE CONSTRAINT TRIGGER refusing AFTER INSERT ON runs
            ${when === "immediately" ? "" : "DEFERRABLE INITIALLY DEFERRED"}
            FOR EACH ROW WHEN (NEW.id = 'bad') EXECUTE FUNCTION refuse()`);
        const statuses = await both(
          [created("a"), created("bad"), noted("a")],
          [noted("a"), created("b"), noted("bad")],
        );
        const [bad, notedBad] = times === 1 ? ["created", "committed"] : ["store_failed", "fenced"];
        assert.deepEqual(statuses, [
          ["created", bad, "committed"],
          ["committed", "created", notedBad],
        ]);
        assert.deepEqual(await eventsOf(client), [
          { id: "a", n: 2 },
          { id: "b", n: 0 },
          ...(times === 1 ? [{ id: "bad", n: 1 }] : []),
        ]);
      });
    },
  );
}

test(
  "a lost connection during a commit fails neither this batch nor the next one",
  options,
  async () => {
    await withBatches(async (batches) => {
      const { both, client } = batches;
      const cut = Promise.withResolvers<unknown>();
      let sent = 0;
      batches.onSent = () => {
        // The first message locks the runs, and the second one commits.
        if ((sent += 1) !== 2) return;
        cut.resolve(
          client.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1",
            [applicationName],
          ),
        );
      };
      const statuses = await both([created("a"), noted("a")], [noted("a"), created("b")]);
      await cut.promise;
      assert.deepEqual(statuses, [
        ["created", "committed"],
        ["committed", "created"],
      ]);
      assert.deepEqual(await eventsOf(client), [
        { id: "a", n: 2 },
        { id: "b", n: 0 },
      ]);
    });
  },
);

const journal = (runId: string, epoch: number, ...writes: RunJournalWrite[]) =>
  request({ type: "journal", runId, epoch, writes });

test("undoes only the rejected requests of those that are decided together", options, async () => {
  await withBatches(async ({ commit, client }) => {
    const statuses = await commit([
      request(created("a")),
      request(created("b"), { type: "claim-run", runId: "nobody" }),
      journal("a", 7, resultOf("completed")),
      request(created("a")),
      request(created("c")),
      // The rejected request was undone, so the run can be created.
      request(created("b")),
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
});

test(
  "if two runs answer the same approval request, the first answer is final",
  options,
  async () => {
    await withBatches(async ({ commit, client }) => {
      // It passes its approval request to the run that continues it.
      const approval = approvalRequest("q_a");
      const { callId, id: approvalId } = approval;
      await commit([request(created("a"))]);
      const asked = event({ type: "approval.requested", callId, approval });
      await commit([journal("a", 1, asked, resultOf("completed"))]);
      await commit([request(created("b"))]);
      const decision = { verdict: "refused", by: "person" } as const;
      const refused = event({ type: "approval.answered", callId, approvalId, at: 1_000, decision });
      const saved = { type: "save-items", runId: "b", direction: "input", items: [] } as const;
      const answered = {
        type: "answer-approval",
        owner,
        id: approvalId,
        runId: "a",
        answer: { decision: "allow" },
        claims: true,
      } as const;
      const statuses = await commit([request(saved), journal("b", 1, refused), request(answered)]);
      assert.deepEqual(statuses, [["saved"], ["committed"], ["already_answered"]]);
      const { rows } = await client.query("SELECT status FROM approvals");
      assert.deepEqual(rows, [{ status: "refused" }]);
    });
  },
);
