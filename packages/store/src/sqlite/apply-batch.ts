import type { EncodedRequest } from "../encode/run-commit.ts";
import { errorDataOf } from "../records/error-data.ts";
import { isAccepted } from "../records/write-outcomes.ts";
import { applyRequest, refusedOutcomes } from "../decide/apply-request.ts";
import type { WriteResult } from "../records/write-results.ts";
import { findRunIds } from "../decide/find-run-ids.ts";
import type { SqliteWriteContext } from "./create-write-context.ts";

/** Writes many calls in one transaction. Each is all or nothing by itself; if the commit fails, none was done. */
export function applyBatch(
  context: SqliteWriteContext,
  requests: readonly EncodedRequest[],
): WriteResult[] {
  const { sql, runs, failedWrites, changes, trim } = context;
  try {
    sql.run("BEGIN IMMEDIATE");
    sql.script(runs.load(sql.script(findRunIds(requests))));
    const results =
      applyPlainly(context, requests) ?? requests.map((request) => applyAlone(context, request));
    sql.run("COMMIT");
    runs.commit();
    trim.commit();
    changes.clearLog();
    return results;
  } catch (thrown) {
    const error = errorDataOf("Writing to the store", thrown);
    if (sql.inTransaction) sql.run("ROLLBACK");
    runs.rollback(0);
    trim.rollback(0);
    for (const { writes } of requests) failedWrites.add(writes);
    return requests.map(() => ({ error }));
  }
}

/**
 * Without a way back for each call, as most need none. A call that was refused before it changed
 * anything needs none either; undefined, with everything undone, where one does.
 */
function applyPlainly(
  context: SqliteWriteContext,
  requests: readonly EncodedRequest[],
): WriteResult[] | undefined {
  const { sql, runs, changes } = context;
  const savepoint = savepointOf(context);
  const results: WriteResult[] = [];
  try {
    for (const request of requests) {
      const before = changes.count + runs.savepoint();
      const outcomes = sql.script(applyRequest(context, request));
      const last = outcomes.at(-1);
      const accepted = last === undefined || isAccepted(last);
      if (!accepted && changes.count + runs.savepoint() > before) {
        beginAgain(context, savepoint);
        return undefined;
      }
      results.push({ outcomes: accepted ? outcomes : refusedOutcomes(request, outcomes) });
    }
    return results;
  } catch (thrown) {
    // Some errors, a full disk among them, end the whole transaction.
    if (!sql.inTransaction) throw thrown;
    beginAgain(context, savepoint);
    return undefined;
  }
}

function applyAlone(context: SqliteWriteContext, request: EncodedRequest): WriteResult {
  const { sql } = context;
  const savepoint = savepointOf(context);
  sql.run("SAVEPOINT request");
  try {
    const outcomes = sql.script(applyRequest(context, request));
    const last = outcomes.at(-1);
    if (last === undefined || isAccepted(last)) {
      sql.run("RELEASE request");
      return { outcomes };
    }
    undo(context, savepoint);
    return { outcomes: refusedOutcomes(request, outcomes) };
  } catch (thrown) {
    if (!sql.inTransaction) throw thrown;
    undo(context, savepoint);
    context.failedWrites.add(request.writes);
    return { error: errorDataOf("Writing to the store", thrown) };
  }
}

/** How far what is kept in memory is changed, too. */
interface Savepoint {
  readonly runs: number;
  readonly trim: number;
}

function savepointOf({ runs, trim }: SqliteWriteContext): Savepoint {
  return { runs: runs.savepoint(), trim: trim.savepoint() };
}

function undo(context: SqliteWriteContext, savepoint: Savepoint): void {
  context.sql.run("ROLLBACK TO request");
  context.sql.run("RELEASE request");
  forget(context, savepoint);
}

/** Nobody else writes meanwhile. A savepoint would cost a copy of every page that is changed. */
function beginAgain(context: SqliteWriteContext, savepoint: Savepoint): void {
  context.sql.run("ROLLBACK");
  context.sql.run("BEGIN IMMEDIATE");
  forget(context, savepoint);
}

function forget({ runs, trim }: SqliteWriteContext, savepoint: Savepoint): void {
  runs.rollback(savepoint.runs);
  trim.rollback(savepoint.trim);
}
