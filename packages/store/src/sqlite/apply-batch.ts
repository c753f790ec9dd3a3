import { sqlite } from "../sql/dialect.ts";
import type { EncodedRequest } from "../encode/encoded-journal.ts";
import { errorDataOf } from "../records/error-data.ts";
import { isAccepted } from "../records/store-writes.ts";
import { applyRequest, refusedOutcomes } from "../decide/apply-request.ts";
import type { WriteResult } from "../records/write-results.ts";
import { runsOf } from "../decide/runs-of.ts";
import type { SqliteWriteContext } from "./create-write-context.ts";

/** Writes many calls in one transaction. Each is all or nothing by itself; if the commit fails, none was done. */
export function applyBatch(
  context: SqliteWriteContext,
  requests: readonly EncodedRequest[],
): WriteResult[] {
  const { sql, runs, lost, changes, trim } = context;
  try {
    sql.run("BEGIN IMMEDIATE");
    sql.script(runs.prepare(sql.script(runsOf(sqlite, requests))));
    const results =
      applyPlainly(context, requests) ?? requests.map((request) => applyAlone(context, request));
    sql.run("COMMIT");
    runs.settle();
    trim.settle();
    changes.clearLog();
    return results;
  } catch (thrown) {
    const error = errorDataOf("Writing to the store", thrown);
    if (sql.inTransaction) sql.run("ROLLBACK");
    runs.rollback(0);
    trim.rollback(0);
    for (const { writes } of requests) lost.lose(writes);
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
  const mark = markOf(context);
  const results: WriteResult[] = [];
  try {
    for (const request of requests) {
      const before = changes.count + runs.mark();
      const outcomes = sql.script(applyRequest(context, request));
      const last = outcomes.at(-1);
      const accepted = last === undefined || isAccepted(last);
      if (!accepted && changes.count + runs.mark() > before) {
        beginAgain(context, mark);
        return undefined;
      }
      results.push({ outcomes: accepted ? outcomes : refusedOutcomes(request, outcomes) });
    }
    return results;
  } catch (thrown) {
    // Some errors, a full disk among them, end the whole transaction.
    if (!sql.inTransaction) throw thrown;
    beginAgain(context, mark);
    return undefined;
  }
}

function applyAlone(context: SqliteWriteContext, request: EncodedRequest): WriteResult {
  const { sql } = context;
  const mark = markOf(context);
  sql.run("SAVEPOINT request");
  try {
    const outcomes = sql.script(applyRequest(context, request));
    const last = outcomes.at(-1);
    if (last === undefined || isAccepted(last)) {
      sql.run("RELEASE request");
      return { outcomes };
    }
    undo(context, mark);
    return { outcomes: refusedOutcomes(request, outcomes) };
  } catch (thrown) {
    if (!sql.inTransaction) throw thrown;
    undo(context, mark);
    context.lost.lose(request.writes);
    return { error: errorDataOf("Writing to the store", thrown) };
  }
}

/** How far what is kept in memory is changed, too. */
interface Mark {
  readonly runs: number;
  readonly trim: number;
}

function markOf({ runs, trim }: SqliteWriteContext): Mark {
  return { runs: runs.mark(), trim: trim.mark() };
}

function undo(context: SqliteWriteContext, mark: Mark): void {
  context.sql.run("ROLLBACK TO request");
  context.sql.run("RELEASE request");
  forget(context, mark);
}

/** Nobody else writes meanwhile. A savepoint would cost a copy of every page that is changed. */
function beginAgain(context: SqliteWriteContext, mark: Mark): void {
  context.sql.run("ROLLBACK");
  context.sql.run("BEGIN IMMEDIATE");
  forget(context, mark);
}

function forget({ runs, trim }: SqliteWriteContext, mark: Mark): void {
  runs.rollback(mark.runs);
  trim.rollback(mark.trim);
}
