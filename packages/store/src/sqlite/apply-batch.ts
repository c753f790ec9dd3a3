import type { EncodedRequest } from "../encode/run-commit.ts";
import { errorDataOf } from "../records/error-data.ts";
import { applyRequests } from "../decide/apply-request.ts";
import type { WriteResult } from "../records/write-results.ts";
import { findRunIds } from "../decide/find-run-ids.ts";
import type { SqliteWriteContext } from "./create-write-context.ts";

/**
 * Applies many requests in one transaction, each completely or not at all. If one must be undone,
 * the batch is retried in halves. This is rare, and a savepoint for every request would copy every
 * page.
 */
export function applyBatch(
  context: SqliteWriteContext,
  requests: readonly EncodedRequest[],
): readonly WriteResult[] {
  const { sql, runs, failedWrites, changes, trim } = context;
  try {
    sql.run("BEGIN IMMEDIATE");
    sql.script(runs.load(sql.script(findRunIds(requests))));
    const { results, undo } = sql.script(applyRequests(context, requests));
    if (!undo) {
      sql.run("COMMIT");
      runs.commit();
      trim.commit();
      changes.clearLog();
      return results;
    }
    rollback(context);
    if (requests.length === 1) return results;
  } catch (thrown) {
    // Some errors, such as a full disk, end the transaction; no single request caused them.
    const isOver = !sql.inTransaction;
    rollback(context);
    if (requests.length === 1 || isOver) {
      const error = errorDataOf("Writing to the store", thrown);
      for (const { writes } of requests) failedWrites.add(writes);
      return requests.map(() => ({ error }));
    }
  }
  const half = requests.length >> 1;
  const first = applyBatch(context, requests.slice(0, half));
  return [...first, ...applyBatch(context, requests.slice(half))];
}

function rollback({ sql, runs, trim }: SqliteWriteContext): void {
  if (sql.inTransaction) sql.run("ROLLBACK");
  runs.rollback();
  trim.rollback();
}
