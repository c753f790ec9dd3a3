import type { RunRef } from "../records/records.ts";
import { all, first, type Script } from "../sql/script.ts";
import { runRef, selectRefs } from "./read-runs.ts";

/** Every owner's runs that were suspended before a time, oldest first; at most 100. */
export function* everySuspendedBefore(query: { before: number }): Script<RunRef[]> {
  const rows = yield* all<RunRef>(
    `${selectRefs} WHERE status = 'requires_action' AND updated_at < ? ORDER BY updated_at, n LIMIT 100`,
    query.before,
  );
  return rows.map(runRef);
}

/** When the run was suspended that has been suspended longest, in ms since the epoch. */
export function* everySuspendedSince(): Script<number | undefined> {
  const row = yield* first<{ since: number | null }>(
    "SELECT MIN(updated_at) AS since FROM runs WHERE status = 'requires_action'",
  );
  return row?.since ?? undefined;
}
