import type { RunRecord } from "../records.ts";
import { all, first, type Script } from "../script.ts";
import { runRecord, type RunRow, selectRuns } from "./read-runs.ts";

/** Every owner's runs that have waited since before a time, those that wait longest first; at most 100. */
export function* everyParkedBefore(query: { before: number }): Script<RunRecord[]> {
  const rows = yield* all<RunRow>(
    `${selectRuns} WHERE r.status = 'requires_action' AND r.updated_at < ? ORDER BY r.updated_at, r.n LIMIT 100`,
    query.before,
  );
  return rows.map(runRecord);
}

/** Since when the run waits that has waited longest, in ms since the epoch. */
export function* everyParkedSince(): Script<number | undefined> {
  const row = yield* first<{ since: number | null }>(
    "SELECT MIN(updated_at) AS since FROM runs WHERE status = 'requires_action'",
  );
  return row?.since ?? undefined;
}
