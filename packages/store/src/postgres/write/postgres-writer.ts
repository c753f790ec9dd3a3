import { findClaim } from "../../encode/find-claim.ts";
import { CapstanError } from "@capstan/core";
import type pg from "pg";
import { type EncodedRequest, isJournaled } from "../../encode/encoded-journal.ts";
import { postgres } from "../../sql/dialect.ts";
import { all, type Script, type Statement, together } from "../../sql/script.ts";
import type { WriteResult } from "../../records/write-results.ts";
import { findRunIds } from "../../decide/find-run-ids.ts";
import { FailedWrites } from "../../decide/state/failed-writes.ts";
import { type RunState, RunStates, type LockedRunRow } from "../../decide/state/run-states.ts";
import { type Batch, acceptedWrites } from "./batch.ts";
import { decideBatch } from "./decide-batch.ts";
import { databaseError, isConflict, isConnectionLost } from "../wire/database-error.ts";
import { runScript } from "../wire/run-script.ts";
import { BatchChanges, tablesOf } from "./postgres-changes.ts";
import { sendAll, sendAfter } from "../wire/statements.ts";
import { notifyStatements, changedOwners, changedRuns } from "./notify.ts";
import { createPipeline, type PipelineSlot } from "./pipeline.ts";
import type { WriterConnection } from "./writer-connection.ts";

/** Who decides and writes, one batch after the other. */
export interface PostgresWriter {
  /**
   * @param committing called as soon as the next batch may be given, which may be before this one is
   * done; else that is when it is
   */
  commit(
    requests: readonly EncodedRequest[],
    committing?: () => void,
  ): Promise<readonly WriteResult[]>;
  close(): Promise<void>;
}

/** For how many ms a batch waits for a database that is gone. */
const outageTimeoutMs = 30_000;

/** How often a batch is tried again because other nodes were in the way. */
const maxAttempts = 4;

/**
 * Writes batches to PostgreSQL, one after another on one connection; the next one's locks are asked
 * for right behind the commit of the one before. A batch locks the runs that it names, in the order of
 * their ids, so that what it decides holds against other nodes until its commit; then it decides
 * with the same code as SQLite's writer, and sends all its changes at once. Its messages do not
 * grow with the number of its calls, nor do its statements, but for an answer's lock on its question.
 */
export function postgresWriter(options: {
  readonly connection: WriterConnection;
  readonly writerId: string;
}): PostgresWriter {
  const { connection, writerId } = options;
  const runs = new RunStates(postgres);
  const failedWrites = new FailedWrites();
  const takeSlot = createPipeline();
  let batches = 0;

  async function commit(
    requests: readonly EncodedRequest[],
    committing?: () => void,
  ): Promise<readonly WriteResult[]> {
    const slot = takeSlot();
    try {
      return await commitEach(slot, requests, committing);
    } finally {
      slot.end();
    }
  }

  /** A batch that fails is done again one call at a time: what is wrong with one fails that one. */
  async function commitEach(
    slot: PipelineSlot,
    requests: readonly EncodedRequest[],
    committing?: () => void,
  ): Promise<readonly WriteResult[]> {
    try {
      return await commitTogether(slot, requests, committing);
    } catch (thrown) {
      if (requests.length === 1 || isConnectionLost(thrown) || CapstanError.isInstance(thrown)) {
        const { code, message } = databaseError("Writing to the store", thrown);
        for (const { writes } of requests) failedWrites.add(writes);
        return requests.map(() => ({ error: { code, message } }));
      }
    }
    const results: WriteResult[] = [];
    for (const request of requests) results.push(...(await commitEach(slot, [request])));
    return results;
  }

  async function commitTogether(
    slot: PipelineSlot,
    requests: readonly EncodedRequest[],
    committing?: () => void,
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
        // What begins behind it must not come between two tries.
        return await transact(slot, batch, tries === 1 ? committing : undefined);
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

  async function transact(
    slot: PipelineSlot,
    batch: Batch,
    committing: (() => void) | undefined,
  ): Promise<readonly WriteResult[]> {
    try {
      const { client, runNumbers } = await slot.begin(() => begin(batch));
      const pendingChanges = new BatchChanges();
      const batchContext = { runs, failedWrites, node: writerId, runNumbers, pendingChanges };
      const results = await runScript(decideBatch(batchContext, batch.requests), (statements) => {
        const before = pendingChanges.flush([
          ...new Set(statements.flatMap(({ text }) => tablesOf(text))),
        ]);
        return sendAfter(client, before, statements);
      });
      batch.results = results;
      const owners = changedOwners(batch, (runId) => runs.get(runId)?.owner);
      const notifications = notifyStatements(writerId, { runs: changedRuns(batch), owners });
      const last = [...pendingChanges.flush(), ...notifications];
      const committed = sendAll(client, [...last, { text: "COMMIT", values: [] }]);
      runs.commit(ownRuns(batch));
      committing?.();
      await committed;
      slot.committed();
      return results;
    } catch (thrown) {
      if (isConnectionLost(thrown)) connection.drop();
      await slot.failed();
      // Where the connection was lost, what began behind may have opened another.
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
    const ids = await runScript(findRunIds(postgres, batch.requests), ask);
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
      { text: "BEGIN", values: [] },
      { text: "UPDATE writers SET batch = ? WHERE id = ?", values: [number, writerId] },
      {
        text: "SELECT n, id, owner, epoch, status, edits, answers FROM runs WHERE id = ANY(?) ORDER BY id FOR UPDATE",
        values: [[...ids]],
      },
      // Of those that wait any node may show that they do. Behind the lock, to see what it waited for.
      ...(known.length === 0 ? [] : [{ text: lastSeqs, values: [known] }]),
    ];
    const seqs = new Map((waiting as readonly SuspendedRun[]).map((run) => [run.id, run.lastSeq]));
    return (locked as readonly LockedRunRow[]).map((run) => ({
      ...run,
      lastSeq: seqs.get(run.id),
    }));
  }

  return { commit, close: () => connection.close() };
}

const lastSeqs = `SELECT id, (SELECT COALESCE(MAX(seq), 0) FROM run_journal WHERE run_n = n) AS "lastSeq"
  FROM runs WHERE id = ANY(?)`;

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
  const rows = yield* all<{ n: number }>(`${postgres.nextRun} FROM generate_series(1, ?)`, count);
  return rows.map(({ n }) => n);
}

/** The runs that this node goes on writing: what is known of others is read again. */
function ownRuns(batch: Batch): ReadonlySet<string> {
  const own = new Set<string>();
  for (const [write, outcome] of acceptedWrites(batch)) {
    if (write.type === "create-run") own.add(write.run.id);
    if (isJournaled(write)) own.add(write.runId);
    const claimed = findClaim(write, outcome);
    if (claimed !== undefined) own.add(claimed.id);
  }
  return own;
}
