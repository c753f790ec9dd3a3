import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { CommitEncoder } from "../../encode/run-commit.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import { findPostgres, testServer } from "../../testing/postgres-server.ts";
import { event, newRun } from "../../testing/store-fixtures.ts";
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
  /** Commits one batch after the other. */
  readonly both: (first: Calls, second: Calls) => Promise<readonly (readonly string[])[]>;
  readonly client: pg.Client;
  /** What happens as something is sent. */
  onSent: () => void;
}

async function withBatches(use: (batches: Batches) => Promise<void>): Promise<void> {
  const connectionString = await (await testServer()).newDatabase();
  const store = await openPostgresStore({ connectionString });
  const client = new pg.Client({ connectionString });
  await client.connect();
  const connection = await connectWriter({ connectionString, applicationName }, "node_t");
  const context = await connection.client();
  const query = context.query.bind(context) as (batch: unknown) => unknown;
  context.query = ((batch: unknown) => {
    batches.onSent();
    return query(batch);
  }) as typeof context.query;
  const writer = postgresWriter({ connection, writerId: "node_t" });
  const batches: Batches = {
    client,
    onSent: () => {},
    both: async (first, second) => {
      const before = await writer.commit(requestsOf(first));
      const after = await writer.commit(requestsOf(second));
      return [before, after].map((results) => results.flatMap(statusesOf));
    },
  };
  try {
    await use(batches);
  } finally {
    await writer.close();
    await client.end();
    await store.close();
  }
}

const requestsOf = (calls: Calls) =>
  calls.map((write) => new CommitEncoder().encode({ at: 1, writes: [write] }));

const statusesOf = (result: WriteResult): readonly string[] =>
  "error" in result ? [result.error.code] : result.outcomes.map(({ status }) => status);

const eventsOf = async (client: pg.Client) =>
  (
    await client.query<{ id: string; n: number }>(
      "SELECT r.id, count(j.*)::int AS n FROM runs r LEFT JOIN run_journal j ON j.run_n = r.n GROUP BY r.id ORDER BY r.id",
    )
  ).rows;

test("a batch sees the writes of the one before", options, async () => {
  await withBatches(async ({ both, client }) => {
    const statuses = await both([created("a")], [noted("a"), created("b")]);
    assert.deepEqual(statuses, [["created"], ["committed", "created"]]);
    assert.deepEqual(await eventsOf(client), [
      { id: "a", n: 1 },
      { id: "b", n: 0 },
    ]);
  });
});

/** Ways for a first batch to fail that makes `bad`: as its row is written, or not before the commit; once, or whenever it is tried. */
const faults = [
  { when: "at once", code: "40001", times: 1 },
  { when: "at its commit", code: "40001", times: 1 },
  { when: "at once", code: "23514", times: 100 },
  { when: "at its commit", code: "23514", times: 100 },
] as const;

for (const { when, code, times } of faults) {
  test(
    `where a batch fails ${when} with ${code}, nothing is done twice, and the next one goes on`,
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
            ${when === "at once" ? "" : "DEFERRABLE INITIALLY DEFERRED"}
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
  "a connection that is cut as a batch commits costs neither it nor the next one anything",
  options,
  async () => {
    await withBatches(async (batches) => {
      const { both, client } = batches;
      const cut = Promise.withResolvers<unknown>();
      let sent = 0;
      batches.onSent = () => {
        // The first message locks the runs, the second one commits.
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
