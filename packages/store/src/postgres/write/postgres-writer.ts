import { findClaim } from "../../live/live-runs.ts";
import { CapstanError } from "@capstan/core/base";
import type pg from "pg";
import { type EncodedRequest, isCommit } from "../../encode/run-commit.ts";
import { all, type Script, type Statement, together } from "../../sql/script.ts";
import { bind, statement } from "../../sql/statement.ts";
import type { WriteResult } from "../../records/write-results.ts";
import { findRunIds } from "../../decide/find-run-ids.ts";
import { FailedWrites } from "../../decide/state/failed-writes.ts";
import { type RunState, RunStates, type LockedRunRow } from "../../decide/state/run-states.ts";
import { type Batch, acceptedWrites } from "./batch.ts";
import { decideBatch } from "./decide-batch.ts";
import { databaseError, isConflict, isConnectionLost } from "../wire/database-error.ts";
import { BatchChanges, tablesOf } from "./postgres-changes.ts";
import { runScript, sendAll, sendAfter } from "../wire/statements.ts";
import { notifyStatements, changedOwners, changedRuns } from "./notify.ts";
import type { WriterConnection } from "./writer-connection.ts";

/** Who decides and writes, one batch after the other. */
export interface PostgresWriter {
  commit(requests: readonly EncodedRequest[]): Promise<readonly WriteResult[]>;
  close(): Promise<void>;
}

/** For how many ms a batch waits for a database that is gone. */
const outageTimeoutMs = 30_000;

/** How often a batch is tried again because other nodes were in the way. */
const maxAttempts = 4;

/**
 * Writes batches to PostgreSQL, one after another on one connection. A batch locks the runs that it names, in the order of
 * their ids, so that what it decides holds against other nodes until its commit; then it decides
 * with the same code as SQLite's writer, and sends all its changes at once. Its messages do not
 * grow with the number of its calls, nor do its statements, but for an answer's lock on its question.
 */
export function postgresWriter(options: {
  readonly connection: WriterConnection;
  readonly writerId: string;
}): PostgresWriter {
  const { connection, writerId } = options;
  const runs = new RunStates("postgres");
  const failedWrites = new FailedWrites();
  let batches = 0;

  /** A batch that fails is done again one call at a time: what is wrong with one fails that one. */
  async function commit(requests: readonly EncodedRequest[]): Promise<readonly WriteResult[]> {
    try {
      return await commitTogether(requests);
    } catch (thrown) {
      if (requests.length === 1 || isConnectionLost(thrown) || CapstanError.isInstance(thrown)) {
        const { code, message } = databaseError("Writing to the store", thrown);
        for (const { writes } of requests) failedWrites.add(writes);
        return requests.map(() => ({ error: { code, message } }));
      }
    }
    const results: WriteResult[] = [];
    for (const request of requests) results.push(...(await commit([request])));
    return results;
  }

  async function commitTogether(
    requests: readonly EncodedRequest[],
  ): Promise<readonly WriteResult[]> {
    const giveUp = performance.now() + outageTimeoutMs;
    for (let tries = 1; ; tries++) {
      const batch: Batch = {
        number: (batches += 1),
        requests,
        runs: new Set(),
        results: undefined,
      };
      try {
        return await transact(batch);
      } catch (thrown) {
        if (!isConnectionLost(thrown)) {
          if (tries >= maxAttempts || !isConflict(thrown)) throw thrown;
          continue;
        }
        if (performance.now() > giveUp) throw thrown;
        const { results } = batch;
        // Only once all is decided can it have been committed: what is not known is looked up, and never done again blindly.
        if (results !== undefined && (await wasCommitted(batch.number, giveUp))) return results;
      }
    }
  }

  async function wasCommitted(batch: number, giveUp: number): Promise<boolean> {
    for (;;) {
      try {
        return await connection.wasCommitted(batch);
      } catch (thrown) {
        connection.drop();
        if (!isConnectionLost(thrown) || performance.now() > giveUp) {
          throw databaseError(
            "Finding out whether the last commit was done before the connection was lost",
            thrown,
          );
        }
      }
    }
  }

  async function transact(batch: Batch): Promise<readonly WriteResult[]> {
    try {
      const { client, runNumbers } = await begin(batch);
      const pendingChanges = new BatchChanges();
      const batchContext = { runs, failedWrites, node: writerId, runNumbers, pendingChanges };
      const results = await runScript(decideBatch(batchContext, batch.requests), (statements) => {
        const before = pendingChanges.flush([...new Set(statements.flatMap(tablesOf))]);
        return sendAfter(client, before, statements);
      });
      batch.results = results;
      const owners = changedOwners(batch, (runId) => runs.get(runId)?.owner);
      const notifications = notifyStatements(writerId, { runs: changedRuns(batch), owners });
      await sendAll(client, [...pendingChanges.flush(), ...notifications, commitBatch]);
      runs.commit(ownRuns(batch));
      return results;
    } catch (thrown) {
      if (isConnectionLost(thrown)) connection.drop();
      await connection.rollback();
      runs.clear();
      throw thrown;
    }
  }

  /**
   * Locks the runs of a batch, and sees whether what is known of them still holds.
   *
   * @returns numbers for the runs that it makes, and the connection that has the locks
   */
  async function begin(
    batch: Batch,
  ): Promise<{ readonly client: pg.Client; readonly runNumbers: readonly number[] }> {
    const client = await connection.client();
    const ask = (statements: readonly Statement[]) => sendAll(client, statements);
    const ids = await runScript(findRunIds(batch.requests), ask);
    batch.runs = ids;
    const made = createdRunIds(batch.requests);
    const [locked, numbers] = await runScript(
      together([
        lockRuns(batch),
        runNumbers(made.length),
        runs.load(ids.difference(new Set(made))),
      ]),
      ask,
    );
    // Those that other nodes have changed.
    await runScript(runs.load(runs.evictStale(ids, locked)), ask);
    return { client, runNumbers: numbers };
  }

  function* lockRuns({ number, runs: ids }: Batch): Script<readonly LockedRunRow[]> {
    const known = runs.suspendedIn(ids);
    const [, , locked = [], waiting = []] = yield [
      beginBatch,
      bind(setBatch, number, writerId),
      bind(lockRunRows, [...ids]),
      // Of those that wait any node may show that they do. Behind the lock, to see what it waited for.
      ...(known.length === 0 ? [] : [bind(findLastSeqs, known)]),
    ];
    const seqs = new Map((waiting as readonly SuspendedRun[]).map((run) => [run.id, run.lastSeq]));
    return (locked as readonly LockedRunRow[]).map((run) => ({
      ...run,
      lastSeq: seqs.get(run.id),
    }));
  }

  return { commit, close: () => connection.close() };
}

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

const findLastSeqs = statement<SuspendedRun>(
  { reads: ["runs", "run_journal"] },
  {
    postgres: `SELECT id, (SELECT COALESCE(MAX(seq), 0) FROM run_journal WHERE run_n = n) AS "lastSeq"
      FROM runs WHERE id = ANY(?)`,
  },
);

const takeRunNumbers = statement<{ n: number }>(
  {},
  { postgres: "SELECT nextval('run_numbers') AS n FROM generate_series(1, ?)" },
);

type SuspendedRun = Pick<RunState, "id" | "lastSeq">;

/** The runs that a batch is to make, one several times where several calls want it. */
function createdRunIds(requests: readonly EncodedRequest[]): readonly string[] {
  return requests.flatMap(({ writes }) =>
    writes.flatMap((write) => (write.type === "create-run" ? write.run.id : [])),
  );
}

/** Numbers for so many new runs, in rising order. */
function* runNumbers(count: number): Script<readonly number[]> {
  if (count === 0) return [];
  const rows = yield* all(takeRunNumbers, count);
  return rows.map(({ n }) => n);
}

/** The runs that this node goes on writing: what is known of others is read again. */
function ownRuns(batch: Batch): ReadonlySet<string> {
  const own = new Set<string>();
  for (const [write, outcome] of acceptedWrites(batch)) {
    if (write.type === "create-run") own.add(write.run.id);
    if (isCommit(write)) own.add(write.runId);
    const claimed = findClaim(write, outcome);
    if (claimed !== undefined) own.add(claimed.id);
  }
  return own;
}
