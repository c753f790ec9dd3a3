import type { RunStatus } from "../../contract/run.ts";
import type { Page, RunRecord } from "../records.ts";
import { all, type Script } from "../script.ts";
import { pageLimit, pageOf } from "./page.ts";
import { runRecord, type RunRow, selectRuns } from "./read-runs.ts";

/** An owner's runs, newest first. Runs that only hold a person's changes to variables are left out. */
export function* searchRuns(query: {
  owner: string;
  statuses?: readonly RunStatus[];
  conversationId?: string;
  limit?: number;
  after?: string;
}): Script<Page<RunRecord>> {
  const limit = pageLimit(query.limit);
  const { statuses = [], conversationId = null, after = null } = query;
  const among =
    statuses.length === 0 ? "" : `AND r.status IN (${statuses.map(() => "?").join(", ")})`;
  const rows = yield* all<RunRow>(
    `${selectRuns} WHERE r.owner = ? AND r.kind = 'turn' ${among}
       AND (CAST(? AS TEXT) IS NULL OR r.conversation_id = ?)
       AND (CAST(? AS TEXT) IS NULL OR r.n < (SELECT n FROM runs WHERE id = ? AND owner = ?))
     ORDER BY r.n DESC LIMIT ?`,
    query.owner,
    ...statuses,
    conversationId,
    conversationId,
    after,
    after,
    query.owner,
    limit + 1,
  );
  return pageOf(rows, limit, runRecord);
}
