import type { RecoveredRun } from "../records/read-results.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import type { WebhookSubscription } from "../records/webhooks.ts";
import { FailedWrites } from "../decide/state/failed-writes.ts";
import { RunStates } from "../decide/state/run-states.ts";
import { SqliteChanges } from "./sqlite-changes.ts";
import { TailTrim } from "./tail-trim.ts";
import type { WriteContext } from "../decide/state/write-context.ts";

/** The write context of SQLite, with its connection. */
export interface SqliteWriteContext extends WriteContext {
  readonly sql: SqliteConnection;
  readonly changes: SqliteChanges;
  readonly runs: RunStates;
  readonly trim: TailTrim;
}

/** Creates the write context of a connection and recovers the runs that a crash left unfinished. */
export function createWriteContext(
  sql: SqliteConnection,
  webhooks: readonly WebhookSubscription[] = [],
): {
  readonly context: SqliteWriteContext;
  readonly recoveredRuns: readonly RecoveredRun[];
} {
  const runs = new RunStates("sqlite");
  const trim = new TailTrim(() => runs.all());
  const { active, ended } = sql.script(runs.recover());
  trim.add(ended);
  trim.commit();
  const recoveredRuns = active.map(({ id, lastSeq, open }) => ({
    runId: id,
    lastSeq,
    items: open.map(({ itemId, head }) => ({ itemId, head })),
  }));
  const lastOf = (table: "tail" | "runs") =>
    sql.get<{ n: number }>(`SELECT COALESCE(MAX(n), 0) AS n FROM ${table}`)?.n ?? 0;
  let lastRun = lastOf("runs");
  const changes = new SqliteChanges(sql);
  changes.clearLog();
  return {
    context: {
      database: "sqlite",
      sql,
      changes,
      runs,
      failedWrites: new FailedWrites(),
      node: null,
      trim,
      nextTail: lastOf("tail") + 1,
      takeRunNumber: () => (lastRun += 1),
      notes: [],
      webhooks,
    },
    recoveredRuns,
  };
}
