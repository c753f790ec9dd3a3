import { findClaim } from "../../live/live-runs.ts";
import type { Writer } from "../../live/thread.ts";
import { CapstanError } from "@capstan/core/base";
import { type EncodedRequest, isCommit } from "../../encode/run-commit.ts";
import { all, type Script, type Statement, together } from "../../sql/script.ts";
import { bind, statement } from "../../sql/statement.ts";
import type { WriteResult } from "../../records/write-results.ts";
import type { WebhookSubscription } from "../../records/webhooks.ts";
import { findRunIds } from "../../decide/find-run-ids.ts";
import { FailedWrites } from "../../decide/state/failed-writes.ts";
import { RunStates, type LockedRunRow } from "../../decide/state/run-states.ts";
import { databaseError, isConflict, isConnectionLost } from "../wire/database-error.ts";
import { decideBatch } from "./decide-batch.ts";
import { PendingChanges } from "./pending-changes.ts";
import { runScript, sendAll } from "../wire/statements.ts";
import { type AcceptedWrite, acceptedWrites, notifyStatements } from "./notify.ts";
import type { WriterConnection } from "./writer-connection.ts";

/** How long a batch waits for an unavailable database, in ms. */
const outageTimeoutMs = 30_000;

/** The maximum number of attempts for a batch that conflicts with other nodes. */
const maxAttempts = 4;

/** The requests of one transaction. */
interface Batch {
  readonly number: number;
  readonly requests: readonly EncodedRequest[];
  /** Set when all requests are decided and the commit is sent. */
  results: readonly WriteResult[] | undefined;
}

/**
 * Writes batches to PostgreSQL, one after another on one connection. A batch locks the runs that it
 * names, in the order of their ids, so that other nodes cannot invalidate its decisions before its
 * commit. It decides with the same code as SQLite's writer. Changes are sent together before the
 * next statement that reads their tables, or with the commit.
 */
export function postgresWriter(options: {
  readonly connection: WriterConnection;
  readonly writerId: string;
  /** The endpoints that get messages about changes. @default none */
  readonly webhooks?: readonly WebhookSubscription[] | undefined;
}): Writer {
  const { connection, writerId, webhooks = [] } = options;
  const runs = new RunStates("postgres");
  const failedWrites = new FailedWrites();
  let batches = 0;

  /** A failed batch is retried in halves, so that an invalid request does not fail others. */
  async function commit(requests: readonly EncodedRequest[]): Promise<readonly WriteResult[]> {
    try {
      const results = await commitTogether(requests);
      if (results !== undefined) return results;
    } catch (thrown) {
      if (requests.length === 1 || isConnectionLost(thrown) || CapstanError.isInstance(thrown)) {
        const { code, message } = databaseError("Writing to the store", thrown);
        for (const { writes } of requests) failedWrites.add(writes);
        return requests.map(() => ({ error: { code, message } }));
      }
    }
    const half = requests.length >> 1;
    const first = await commit(requests.slice(0, half));
    return [...first, ...(await commit(requests.slice(half)))];
  }

  /** Returns undefined if one of several requests of the batch must be undone. */
  async function commitTogether(
    requests: readonly EncodedRequest[],
  ): Promise<readonly WriteResult[] | undefined> {
    const deadline = performance.now() + outageTimeoutMs;
    for (let attempt = 1; ; attempt++) {
      const batch: Batch = { number: (batches += 1), requests, results: undefined };
      try {
        return await transact(batch);
      } catch (thrown) {
        if (!isConnectionLost(thrown)) {
          if (attempt >= maxAttempts || !isConflict(thrown)) throw thrown;
          continue;
        }
        if (performance.now() > deadline) throw thrown;
        const { results } = batch;
        // A batch can only have been committed after all requests were decided. Its unknown outcome
        // is read from the database before it is applied again.
        if (results !== undefined && (await wasCommitted(batch.number, deadline))) return results;
      }
    }
  }

  async function wasCommitted(batch: number, deadline: number): Promise<boolean> {
    for (;;) {
      try {
        return await connection.wasCommitted(batch);
      } catch (thrown) {
        connection.drop();
        if (!isConnectionLost(thrown) || performance.now() > deadline) {
          throw databaseError(
            "Checking whether the last commit succeeded before the connection was lost",
            thrown,
          );
        }
      }
    }
  }

  async function transact(batch: Batch): Promise<readonly WriteResult[] | undefined> {
    const { number, requests } = batch;
    try {
      const client = await connection.client();
      const changes = new PendingChanges();
      const send = async (statements: readonly Statement[]) => {
        const before = changes.flushBefore(statements);
        return (await sendAll(client, [...before, ...statements])).slice(before.length);
      };
      const ids = await runScript(findRunIds(requests), send);
      const [locked, numbers] = await runScript(
        together([lockRuns(number, writerId, [...ids]), takeRunNumbers(requests), runs.load(ids)]),
        send,
      );
      // Loads the runs that other nodes have changed.
      await runScript(runs.load(runs.evictStale(ids, locked)), send);
      const context = {
        database: "postgres",
        runs,
        failedWrites,
        node: writerId,
        trim: null,
        nextTail: 1,
        takeRunNumber: () => numbers.shift() ?? 0,
        webhooks,
      } as const;
      const { results, undo } = await runScript(decideBatch(context, requests, changes), send);
      if (undo) {
        await connection.rollback();
        runs.clear();
        return requests.length === 1 ? results : undefined;
      }
      batch.results = results;
      const accepted = [...acceptedWrites(requests, results)];
      const notifications = notifyStatements(
        writerId,
        accepted,
        (id) => runs.get(id)?.owner,
        results,
      );
      await sendAll(client, [...changes.flush(), ...notifications, commitBatch]);
      runs.commit(ownRuns(accepted));
      return results;
    } catch (thrown) {
      if (isConnectionLost(thrown)) connection.drop();
      await connection.rollback();
      runs.clear();
      throw thrown;
    }
  }

  return { commit, stop: () => connection.close() };
}

/**
 * Locks the runs of a batch, after writing its number to the writer's row, which stays locked until
 * the batch ends.
 */
function* lockRuns(
  batch: number,
  writerId: string,
  ids: readonly string[],
): Script<readonly LockedRunRow[]> {
  const [, , rows = []] = yield [
    beginBatch,
    bind(setBatch, batch, writerId),
    bind(lockRunRows, ids),
  ];
  return rows as readonly LockedRunRow[];
}

/** Reserves numbers for the runs that a batch creates, in increasing order. */
function* takeRunNumbers(requests: readonly EncodedRequest[]): Script<number[]> {
  const writes = requests.flatMap((request) => request.writes);
  const count = writes.filter(({ type }) => type === "create-run").length;
  return count === 0 ? [] : (yield* all(nextNumbers, count)).map(({ n }) => n);
}

const nextNumbers = statement<{ n: number }>(
  {},
  { postgres: "SELECT nextval('run_numbers') AS n FROM generate_series(1, ?)" },
);

const beginBatch = bind(statement({}, { postgres: "BEGIN" }));
const commitBatch = bind(statement({}, { postgres: "COMMIT" }));

const setBatch = statement(
  { writes: ["writers"] },
  { postgres: "UPDATE writers SET batch = ? WHERE id = ?" },
);

const lockRunRows = statement(
  { reads: ["runs"] },
  {
    postgres:
      "SELECT n, id, owner, epoch, status, edits, answers FROM runs WHERE id = ANY(?) ORDER BY id FOR UPDATE",
  },
);

/** Returns the runs that this node continues to write; other runs are read again. */
function ownRuns(accepted: readonly AcceptedWrite[]): ReadonlySet<string> {
  const own = new Set<string>();
  for (const [write, outcome] of accepted) {
    if (write.type === "create-run") own.add(write.run.id);
    if (isCommit(write)) own.add(write.runId);
    const claimed = findClaim(write, outcome);
    if (claimed !== undefined) own.add(claimed.id);
  }
  return own;
}
