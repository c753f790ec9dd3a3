import { sqlite } from "../dialect.ts";
import { errorDataOf } from "../error-data.ts";
import { isAccepted } from "../store-write.ts";
import {
  applyRequest,
  refusedOutcomes,
  type WriteRequest,
  type WriteResult,
} from "./apply-request.ts";
import { runsOf } from "./runs-of.ts";
import type { SqliteWriting } from "./start-writing.ts";

/** Writes many calls in one transaction. Each is all or nothing by itself; if the commit fails, none was done. */
export function applyBatch(
  writing: SqliteWriting,
  requests: readonly WriteRequest[],
): WriteResult[] {
  const { sql, runs, lost, changes } = writing;
  try {
    sql.run("BEGIN IMMEDIATE");
    sql.script(runs.prepare(sql.script(runsOf(sqlite, requests))));
    const results = requests.map((request) => applyAlone(writing, request));
    sql.run("COMMIT");
    runs.settle();
    changes.clearLog();
    return results;
  } catch (thrown) {
    const error = errorDataOf("Writing to the store", thrown);
    if (sql.inTransaction) sql.run("ROLLBACK");
    runs.rollback(0);
    for (const { writes } of requests) lost.lose(writes);
    return requests.map(() => ({ error }));
  }
}

function applyAlone(writing: SqliteWriting, request: WriteRequest): WriteResult {
  const { sql, runs } = writing;
  const mark = runs.mark();
  sql.run("SAVEPOINT request");
  try {
    const outcomes = sql.script(applyRequest(writing, request));
    const last = outcomes.at(-1);
    if (last === undefined || isAccepted(last)) {
      sql.run("RELEASE request");
      return { outcomes };
    }
    undo(writing, mark);
    return { outcomes: refusedOutcomes(request, outcomes) };
  } catch (thrown) {
    // Some errors, a full disk among them, end the whole transaction.
    if (!sql.inTransaction) throw thrown;
    undo(writing, mark);
    writing.lost.lose(request.writes);
    return { error: errorDataOf("Writing to the store", thrown) };
  }
}

function undo({ sql, runs }: SqliteWriting, mark: number): void {
  sql.run("ROLLBACK TO request");
  sql.run("RELEASE request");
  runs.rollback(mark);
}
