import type { Unreachable } from "../../records/read-results.ts";
import type { Manifest } from "../../records/records.ts";
import { all, first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";

interface SessionRun {
  readonly id: string;
  readonly n: number;
  readonly epoch: number;
  readonly edits: number;
  readonly ended_at: number | null;
}

/**
 * The number of manifests that are read at a time, because a long session has many, and other reads
 * wait.
 */
const pageSize = 20;

const runsOf = (lock: string) =>
  `SELECT id, n, epoch, edits, ended_at FROM runs WHERE session_id = ? ORDER BY id${lock}`;

const findSessionRuns = statement<SessionRun>({ reads: ["runs"] }, runsOf(""));

const lockSessionRuns = statement<SessionRun>({ reads: ["runs"] }, ({ lock }) =>
  runsOf(lock("runs")),
);

const findRuns = statement<{ n: number; session_id: string; ended_at: number | null }>(
  { reads: ["runs"] },
  "SELECT n, session_id, ended_at FROM runs WHERE n > ? ORDER BY n LIMIT ?",
);

const findCurrent = statement<{ digest: string }>(
  { reads: ["runs"] },
  `SELECT manifest AS digest FROM runs WHERE session_id = ? AND manifest IS NOT NULL
   UNION SELECT base_manifest AS digest FROM runs WHERE session_id = ? AND base_manifest IS NOT NULL`,
);

const findManifests = statement<{ digest: string; entries: string }>(
  { reads: ["manifests"] },
  "SELECT digest, entries FROM manifests WHERE session_id = ? AND digest > ? ORDER BY digest LIMIT ?",
);

const findUnfolded = statement(
  { reads: ["run_variables", "runs"] },
  "SELECT 1 FROM run_variables v JOIN runs r ON r.n = v.run_n WHERE r.session_id = ? LIMIT 1",
);

const findValues = statement<{ digest: string }>(
  { reads: ["variable_values"] },
  "SELECT digest FROM variable_values WHERE session_id = ?",
);

/**
 * Returns the version of a session: a text that changes whenever a run could refer to another
 * value. Undefined if a run of it has not ended, because that run can still use any value.
 *
 * @param locks whether a decision depends on it
 */
export function* readSessionVersion(sessionId: string, locks = false): Script<string | undefined> {
  const runs = yield* all(locks ? lockSessionRuns : findSessionRuns, sessionId);
  if (runs.some((run) => run.ended_at === null)) return undefined;
  const sum = (value: (run: SessionRun) => number) =>
    runs.reduce((total, run) => total + value(run), 0);
  return [
    runs.length,
    sum(({ n }) => n),
    sum(({ epoch }) => epoch),
    sum(({ edits }) => edits),
  ].join(" ");
}

/**
 * Finds values that were overwritten or removed, or that a deleted run left behind. It reads the
 * sessions of the runs after a number, in the order of creation, at most about 20 sessions at a
 * time.
 */
export function* everyUnreachable(query: { readonly after: number }): Script<{
  readonly found: readonly Unreachable[];
  readonly last: number;
  readonly more: boolean;
}> {
  const limit = 20;
  const runs = yield* all(findRuns, query.after, limit);
  const open = runs.findIndex((run) => run.ended_at === null);
  // A session is searched again once its last run has ended.
  const ended = open === -1 ? runs : runs.slice(0, open);
  const found: Unreachable[] = [];
  for (const sessionId of new Set(ended.map((run) => run.session_id))) {
    const one = yield* unreachableIn(sessionId);
    if (one !== undefined) found.push(one);
  }
  const last = ended.at(-1)?.n ?? query.after;
  return { found, last, more: ended.length === limit };
}

function* unreachableIn(sessionId: string): Script<Unreachable | undefined> {
  const seen = yield* readSessionVersion(sessionId);
  if (seen === undefined) return undefined;
  const named = yield* all(findCurrent, sessionId, sessionId);
  const current = new Set(named.map(({ digest }) => digest));
  const reachable = new Set<string>();
  const manifests: string[] = [];
  for (let after = ""; ;) {
    const page = yield* all(findManifests, sessionId, after, pageSize);
    for (const { digest, entries } of page) {
      if (!current.has(digest)) manifests.push(digest);
      else
        for (const { digest: value } of Object.values(JSON.parse(entries) as Manifest))
          if (value !== undefined) reachable.add(value);
    }
    if (page.length < pageSize) break;
    after = page.at(-1)?.digest ?? "";
  }
  // An ended run has a manifest. If its changes could not be folded, they still refer to values.
  const unfolded = yield* first(findUnfolded, sessionId);
  if (unfolded !== undefined) return undefined;
  const stored = yield* all(findValues, sessionId);
  const values = stored.flatMap(({ digest }) => (reachable.has(digest) ? [] : [digest]));
  if (manifests.length + values.length === 0) return undefined;
  return { sessionId, seen, manifests, values };
}
