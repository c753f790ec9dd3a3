import type { RunStatus } from "@capstan/contract";
import type { Page, ListedRun } from "../records/records.ts";
import type { Dialect } from "../sql/dialect.ts";
import { all, type Script } from "../sql/script.ts";
import { statement } from "../sql/statement.ts";
import { readCallOutcomes } from "./read-journal.ts";
import { pageLimit, pageOf } from "./page.ts";
import { listedRun, type RunRow, runTables, selectListed } from "./read-runs.ts";

interface RunQuery {
  readonly owner: string;
  readonly statuses?: readonly RunStatus[];
  readonly conversationId?: string;
  /**
   * Only runs that have a call with an unknown outcome that is not reported yet, or unreadable
   * calls.
   */
  readonly outcome?: "unknown";
  readonly limit?: number;
  readonly after?: string;
}

/**
 * Returns an owner's runs, newest first, without runs that only hold a user's changes of variables.
 */
export function* searchRuns(query: RunQuery): Script<Page<ListedRun>> {
  const limit = pageLimit(query.limit);
  if (query.outcome === undefined)
    return pageOf(yield* selectPage(query, limit + 1), limit, listedRun);
  const found: RunRow[] = [];
  // Only the journal has reported outcomes. So runs without unreported outcomes are filtered out
  // here, and more runs are read.
  for (let after = query.after; ;) {
    const rows = yield* selectPage({ ...query, ...(after !== undefined && { after }) }, limit + 1);
    for (const row of rows) if ((yield* readCallOutcomes(row)) !== "known") found.push(row);
    if (found.length > limit || rows.length <= limit) return pageOf(found, limit, listedRun);
    after = rows.at(-1)?.id;
  }
}

const selectPages = (dialect: Dialect) =>
  `${selectListed(dialect)} WHERE r.owner = ? AND r.kind = 'turn'`;

const pageOrder = `
     AND (CAST(? AS TEXT) IS NULL OR r.conversation_id = ?)
     AND (CAST(? AS TEXT) IS NULL OR r.n < (SELECT n FROM runs WHERE id = ? AND owner = ?))
   ORDER BY r.n DESC LIMIT ?`;

const findRuns = statement<RunRow>(runTables, (dialect) => `${selectPages(dialect)} ${pageOrder}`);

const findRunsInStatus = statement<RunRow>(
  runTables,
  (dialect) => `${selectPages(dialect)} AND r.status ${dialect.anyOf} ${pageOrder}`,
);

const ofUnknownOutcome =
  "AND r.n IN (SELECT run_n FROM answerable_calls WHERE owner = ? AND answered_by = 'person')";
const unknownTables = { reads: [...runTables.reads, "answerable_calls"] } as const;

const findUnknown = statement<RunRow>(
  unknownTables,
  (dialect) => `${selectPages(dialect)} ${ofUnknownOutcome} ${pageOrder}`,
);

const findUnknownInStatus = statement<RunRow>(
  unknownTables,
  (dialect) =>
    `${selectPages(dialect)} AND r.status ${dialect.anyOf} ${ofUnknownOutcome} ${pageOrder}`,
);

function* selectPage(query: RunQuery, rows: number): Script<readonly RunRow[]> {
  const { owner, statuses = [], conversationId = null, after = null, outcome } = query;
  const isAny = statuses.length === 0;
  const sql =
    outcome === undefined
      ? isAny
        ? findRuns
        : findRunsInStatus
      : isAny
        ? findUnknown
        : findUnknownInStatus;
  return yield* all(
    sql,
    owner,
    ...(isAny ? [] : [statuses]),
    ...(outcome === undefined ? [] : [owner]),
    conversationId,
    conversationId,
    after,
    after,
    owner,
    rows,
  );
}
