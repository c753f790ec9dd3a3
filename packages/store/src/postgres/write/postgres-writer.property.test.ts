import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import pg from "pg";
import type { RunStatus } from "@capstan/contract";
import { CommitEncoder, type WriteRequest } from "../../encode/run-commit.ts";
import type { RunJournalWrite, StoreWrite } from "../../records/store-writes.ts";
import { findPostgres, testServer } from "../../testing/postgres-server.ts";
import {
  approvalRequest,
  delta,
  end,
  event,
  grantOf,
  longText,
  newRun,
  owner,
  resultOf,
  start,
  stopsFor,
  variableOf,
} from "../../testing/store-fixtures.ts";
import type { WriteResult } from "../../records/write-results.ts";
import { openPostgresStore } from "../open-postgres-store.ts";
import { postgresWriter } from "./postgres-writer.ts";
import { connectWriter } from "./writer-connection.ts";

const postgres = findPostgres();
const options = { skip: postgres.status === "missing" && postgres.reason };

const runIds = ["a", "b", "c", "d"];
const id = fc.constantFrom(...runIds);
const someOwner = fc.constantFrom(owner, owner, owner, "another");
const epoch = fc.constantFrom(1, 1, 2);
const conversation = fc.constantFrom("conv_1", "conv_2");

const question = (runId: string): readonly RunJournalWrite[] => {
  const approval = approvalRequest(`q_${runId}`);
  const { callId } = approval;
  return [
    event({ type: "approval.requested", callId, approval }),
    stopsFor({ type: "approval", callId, approval }),
  ];
};

/** The writes of a run in one commit. */
const commitsOf = (runId: string) =>
  fc.oneof(
    fc.constantFrom<readonly RunJournalWrite[]>(
      [start("t"), delta("t", "x")],
      [delta("t", "y"), delta("t", "z")],
      [end("t", "xyz")],
      [{ type: "grant", grant: grantOf(`grant_${runId}`) }],
      question(runId),
      [resultOf("completed")],
      [resultOf("error")],
    ),
    fc
      .constantFrom("short", longText("v"), longText(runId))
      .map((text): readonly RunJournalWrite[] => [
        { type: "variable", change: { type: "set", variable: variableOf("v", text) } },
      ]),
  );

const created = fc
  .record({
    id,
    owner: someOwner,
    status: fc.constantFrom<RunStatus[]>("queued", "in_progress", "in_progress"),
    more: fc.oneof(
      fc.constant({}),
      id.map((parentId) => ({ parentId })),
      id.map((sessionId) => ({ sessionId })),
      conversation.map((conversationId) => ({ conversationId })),
    ),
  })
  .map(({ more, ...run }): StoreWrite => ({
    type: "create-run",
    run: newRun({ ...run, ...more }),
  }));

const write: fc.Arbitrary<StoreWrite> = fc.oneof(
  { weight: 6, arbitrary: created },
  {
    weight: 8,
    arbitrary: fc.tuple(id, epoch).chain(([runId, its]) =>
      commitsOf(runId).map((writes): StoreWrite => ({
        type: "journal",
        runId,
        epoch: its,
        writes,
      })),
    ),
  },
  {
    weight: 4,
    arbitrary: fc
      .record({ runId: id, owner: someOwner, named: fc.boolean(), claims: fc.boolean() })
      .map(({ runId, owner: by, named, claims }): StoreWrite => ({
        type: "answer-approval",
        owner: by,
        id: `q_${runId}`,
        ...(named && { runId }),
        answer: { decision: "allow" },
        claims,
      })),
  },
  {
    weight: 2,
    arbitrary: fc.oneof(
      id.map((runId): StoreWrite => ({ type: "claim-run", runId })),
      id.map((runId): StoreWrite => ({ type: "set-status", runId, status: "queued" })),
      id.map((runId): StoreWrite => ({
        type: "edit-variables",
        owner,
        runId,
        changes: [{ type: "set", variable: variableOf("v", longText("edited")) }],
      })),
      id.map((runId): StoreWrite => ({
        type: "save-items",
        runId,
        direction: "output",
        items: [{ id: `item_${runId}`, item: {} }],
      })),
      id.map((runId): StoreWrite => ({ type: "submit-outputs", owner, runId, outputs: [] })),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.oneof(
      id.map((each): StoreWrite => ({ type: "delete-run", owner, id: each })),
      id.map((each): StoreWrite => ({
        type: "forget-lineage",
        owner,
        start: { type: "session", id: each },
        before: 5_000,
      })),
      fc.constant<StoreWrite>({ type: "collect-forgotten", rows: 20, bytes: 1_000_000 }),
      fc.constant<StoreWrite>({ type: "expire-approvals" }),
      conversation.map((each): StoreWrite => ({
        type: "create-conversation",
        id: each,
        owner,
        title: "",
        metadata: {},
        switches: { groups: {}, tools: {} },
      })),
      conversation.map((each): StoreWrite => ({ type: "delete-conversation", owner, id: each })),
      fc.tuple(conversation, id).map(([each, to]): StoreWrite => ({
        type: "move-head",
        owner,
        id: each,
        from: null,
        to,
      })),
      id.map((each): StoreWrite => ({
        type: "create-grant",
        owner,
        sessionId: each,
        grant: grantOf(`grant_${each}`),
      })),
    ),
  },
);

const request = fc.record({
  at: fc.constantFrom(1_000, 2_000),
  writes: fc.array(write, { minLength: 1, maxLength: 2 }),
});

/**
 * Whether a node that owns no run is allowed to send a write: only the owner writes a run's
 * journal.
 */
function isFromOutside(some: StoreWrite): boolean {
  switch (some.type) {
    case "journal":
    case "claim-run":
      return false;
    case "create-run":
      return some.run.status === "queued";
    case "answer-approval":
      return some.claims !== true;
    default:
      return true;
  }
}

/** A commit of one of two nodes. The first node owns all runs. */
interface SomeBatch {
  readonly node: number;
  readonly requests: readonly WriteRequest[];
}

const batches: fc.Arbitrary<readonly SomeBatch[]> = fc.array(
  fc
    .record({
      node: fc.constantFrom(0, 0, 1),
      requests: fc.array(request, { minLength: 1, maxLength: 8 }),
    })
    .map(({ node, requests }) => ({
      node,
      requests:
        node === 0 ? requests : requests.filter(({ writes }) => writes.every(isFromOutside)),
    })),
  { maxLength: 6 },
);

const tableNames =
  "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND table_name NOT IN ('schema_migrations', 'nodes', 'writers')";

/** A database that two nodes write to. */
async function openWritten() {
  const connectionString = await (await testServer()).newDatabase();
  const store = await openPostgresStore({ connectionString });
  const client = new pg.Client({ connectionString });
  await client.connect();
  const { rows: tables } = await client.query<{ name: string }>(tableNames);
  const nodes = await Promise.all(
    ["node_0", "node_1"].map(async (writerId) => {
      const connection = await connectWriter(
        { connectionString, applicationName: "test" },
        writerId,
      );
      return { connection, writerId };
    }),
  );
  return {
    nodes,
    begin: () =>
      client.query(
        `${tables.map(({ name }) => `DELETE FROM ${name}`).join("; ")}; ALTER SEQUENCE run_numbers RESTART`,
      ),
    /**
     * Runs' ids replace their numbers, and checksums are left out, because a retried request gets
     * different numbers.
     */
    rows: async () => {
      const { rows: runs } = await client.query<{ n: string; id: string }>(
        "SELECT n, id FROM runs",
      );
      const ids = new Map(runs.map(({ n, id: runId }) => [Number(n), runId]));
      const rows: { [table: string]: readonly string[] } = {};
      for (const { name } of tables) {
        const key = name === "runs" ? "n" : "run_n";
        const found = await client.query<{ row: { [column: string]: unknown } }>(
          `SELECT to_jsonb(t) - 'checksum' - 'created_seq' AS row FROM ${name} t`,
        );
        rows[name] = found.rows
          .map(({ row }) =>
            JSON.stringify(key in row ? { ...row, [key]: ids.get(Number(row[key])) } : row),
          )
          .toSorted();
      }
      return rows;
    },
    close: async () => {
      for (const { connection } of nodes) await connection.close();
      await client.end();
      await store.close();
    },
  };
}

/** Removes the numbers of rows in the tail, which only SQLite has. */
function withoutTail(results: readonly WriteResult[] | undefined): unknown {
  const text = JSON.stringify(results ?? [], (key, value: unknown) =>
    key === "firstTail" ? undefined : value,
  );
  return JSON.parse(text) as unknown;
}

test(
  "a batch with cached runs has the same outcomes and rows as its calls one by one",
  options,
  async () => {
    const together = await openWritten();
    const alone = await openWritten();
    try {
      await fc.assert(
        fc.asyncProperty(batches, async (some) => {
          await together.begin();
          await alone.begin();
          const writers = together.nodes.map(postgresWriter);
          const found: (readonly WriteResult[])[] = [];
          for (const { node, requests } of some)
            found.push(
              (await writers[node]?.commit(
                requests.map((each) => new CommitEncoder().encode(each)),
              )) ?? [],
            );
          for (const [at, { node, requests }] of some.entries()) {
            const own = alone.nodes[node];
            assert.ok(own);
            const results = found[at];
            const expected: WriteResult[] = [];
            // A writer without cached state.
            const freshly = (each: WriteRequest) =>
              postgresWriter(own).commit([new CommitEncoder().encode(each)]);
            for (const each of requests) expected.push(...(await freshly(each)));
            assert.deepEqual(withoutTail(results), withoutTail(expected));
          }
          assert.deepEqual(await together.rows(), await alone.rows());
        }),
        { numRuns: 50 },
      );
    } finally {
      await together.close();
      await alone.close();
    }
  },
);
