import type { ListedCalls } from "../records/read-results.ts";
import type { ListedCall } from "../records/records.ts";
import { type CheckedRow, isIntact } from "../schema/row-checksums.ts";
import { all, type Script } from "../sql/script.ts";
import { statement } from "../sql/statement.ts";
import { readableCallsOf } from "./read-journal.ts";

/**
 * The maximum number of an owner's runs that are searched, because reading all rows for older calls
 * would take too long.
 */
const maxRuns = 1_000;

/** The number of runs that are read at a time. */
const runsPerRead = 20;

interface RunRow extends CheckedRow {
  readonly n: number;
  readonly id: string;
  readonly model: string;
}

const findRuns = statement<RunRow>(
  { reads: ["runs", "run_journal"] },
  (dialect) =>
    `SELECT n, id, model, ${isIntact(dialect, "runs", "r")} AS is_intact FROM runs r
   WHERE n IN (SELECT n FROM runs WHERE owner = ? ORDER BY n DESC LIMIT ?) AND n < ? AND EXISTS (
     SELECT 1 FROM run_journal WHERE run_n = r.n AND calls LIKE ? ESCAPE '\\')
   ORDER BY n DESC LIMIT ?`,
);

/** Returns the last calls of a group's tools, newest first, without results in quarantine. */
export function* listCalls(query: {
  owner: string;
  group: string;
  limit: number;
}): Script<ListedCalls> {
  const { owner, group, limit } = query;
  const begins = `${group}.`;
  // A call's first record names its tool. Rows that only contain the name elsewhere are filtered
  // out below.
  const like = `%"toolId":${JSON.stringify(begins)
    .slice(0, -1)
    .replaceAll(/[\\%_]/g, "\\$&")}%`;
  const found: ListedCall[] = [];
  const unreadable: string[] = [];
  for (let before = Number.MAX_SAFE_INTEGER; ;) {
    const runs = yield* all(findRuns, owner, maxRuns, before, like, runsPerRead);
    for (const run of runs) {
      const known = run.is_intact === 1 ? yield* readableCallsOf(run) : undefined;
      if (known === undefined) unreadable.push(run.id);
      const calls = (known ?? []).filter(({ call }) => call.toolId?.startsWith(begins));
      found.push(...calls.toReversed().map((entry) => ({ ...entry, model: run.model })));
      if (found.length >= limit) return { calls: found.slice(0, limit), unreadable };
    }
    const last = runs.at(-1);
    if (last === undefined || runs.length < runsPerRead) return { calls: found, unreadable };
    before = last.n;
  }
}
