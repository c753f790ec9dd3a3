import assert from "node:assert/strict";
import { test } from "node:test";
import pg from "pg";
import { encodeRequest } from "../../encode/encode-request.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import { findPostgres, testServer } from "../../testing/postgres-server.ts";
import { event, newRun } from "../../testing/store-fixtures.ts";
import type { WriteResult } from "../../records/write-results.ts";
import { openPostgresStore } from "../open-postgres-store.ts";
import { type PostgresWriter, postgresWriter } from "./postgres-writer.ts";
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
  /** Gives the second batch as the first one commits. */
  readonly both: (first: Calls, second: Calls) => Promise<readonly (readonly string[])[]>;
  readonly writer: PostgresWriter;
  readonly client: pg.Client;
  /** What happens as the first commit is on its way. */
  meanwhile: () => void;
  /** What happens as something is sent. */
  onSent: () => void;
}

async function withBatches(use: (batches: Batches) => Promise<void>): Promise<void> {
  const connectionString = await (await testServer()).newDatabase();
  const store = await openPostgresStore({ connectionString, writerThread: false });
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
    writer,
    client,
    meanwhile: () => {},
    onSent: () => {},
    both: async (first, second) => {
      let behind: Promise<readonly WriteResult[]> | undefined;
      const before = await writer.commit(requestsOf(first), () => {
        behind = writer.commit(requestsOf(second));
        batches.meanwhile();
      });
      behind ??= writer.commit(requestsOf(second));
      return [before, await behind].map((results) => results.flatMap(statusesOf));
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
  calls.map((write) => encodeRequest({ at: 1, writes: [write] }));

const statusesOf = (result: WriteResult): readonly string[] =>
  "error" in result ? [result.error.code] : result.outcomes.map(({ status }) => status);

const eventsOf = async (client: pg.Client) =>
  (
    await client.query<{ id: string; n: number }>(
      "SELECT r.id, count(j.*)::int AS n FROM runs r LEFT JOIN run_journal j ON j.run_n = r.n GROUP BY r.id ORDER BY r.id",
    )
  ).rows;

test("a batch submitted during a commit sees its writes", options, async () => {
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
    `where a batch fails ${when} with ${code}, what has begun behind it begins again, and nothing is done twice`,
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
  "a batch that comes while the one before is tried again leaves alone the number by which a lost commit is found",
  options,
  async () => {
    await withBatches(async (batches) => {
      const { client, writer } = batches;
      await client.query(`
        CREATE SEQUENCE tried;
        CREATE TABLE committing (run TEXT, batch INT);
        CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
          IF nextval('tried') = 1 THEN RAISE 'refused' USING ERRCODE = '40001'; END IF;
          INSERT INTO committing SELECT NEW.id, batch FROM writers WHERE id = 'node_t';
          RETURN NULL;
        END $$;
        CREATE CONSTRAINT TRIGGER looking AFTER INSERT ON runs DEFERRABLE INITIALLY DEFERRED
          FOR EACH ROW EXECUTE FUNCTION look()`);
      const second = Promise.withResolvers<readonly WriteResult[]>();
      let sent = 0;
      batches.onSent = () => {
        // Behind BEGIN, COMMIT and ROLLBACK: the next try is on its way.
        if ((sent += 1) !== 4) return;
        setImmediate(() => second.resolve(writer.commit(requestsOf([noted("a"), created("b")]))));
      };
      const first = await writer.commit(requestsOf([created("a")]), () => {});
      assert.deepEqual(first.flatMap(statusesOf), ["created"]);
      assert.deepEqual((await second.promise).flatMap(statusesOf), ["committed", "created"]);
      const { rows } = await client.query("SELECT run, batch FROM committing ORDER BY run");
      assert.deepEqual(rows, [
        { run: "a", batch: 2 },
        { run: "b", batch: 3 },
      ]);
    });
  },
);

test(
  "a connection that is cut as one batch commits and the next begins costs neither of them anything",
  options,
  async () => {
    await withBatches(async (batches) => {
      const { both, client } = batches;
      const cut = Promise.withResolvers<unknown>();
      batches.meanwhile = () =>
        cut.resolve(
          client.query(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1",
            [applicationName],
          ),
        );
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
