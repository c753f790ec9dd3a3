import type { ManifestChange } from "../manifest.ts";
import type { Manifest } from "../records.ts";
import type { OutcomeOf, StoreWrite } from "../store-write.ts";
import { wipeRun } from "./quarantine.ts";
import type { Writing } from "./writing.ts";

type DeleteRun = Extract<StoreWrite, { type: "delete-run" }>;
type DeleteConversation = Extract<StoreWrite, { type: "delete-conversation" }>;

interface RunRow {
  readonly n: number;
  readonly id: string;
  readonly session_id: string;
  readonly parent_id: string | null;
  readonly ended_at: number | null;
}

const runColumns = "n, id, session_id, parent_id, ended_at";

/** Tables whose rows belong to one run. A run that has ended has nothing in the tail. */
const tablesOfRun = [
  "run_requests",
  "run_results",
  "run_events",
  "run_messages",
  "run_calls",
  "run_variables",
  "items",
  "approvals",
];

export function deleteRun(writing: Writing, write: DeleteRun): OutcomeOf<DeleteRun> {
  const run = writing.sql.get<RunRow>(
    `SELECT ${runColumns} FROM runs WHERE id = ? AND owner = ?`,
    write.id,
    write.owner,
  );
  if (run === undefined) return { status: "not_found" };
  if (run.ended_at === null) return stillRuns(run);
  removeRuns(writing, [run]);
  return { status: "deleted", runIds: [run.id] };
}

export function deleteConversation(
  writing: Writing,
  write: DeleteConversation,
): OutcomeOf<DeleteConversation> {
  const { sql } = writing;
  const known = sql.get(
    "SELECT 1 FROM conversations WHERE id = ? AND owner = ?",
    write.id,
    write.owner,
  );
  if (known === undefined) return { status: "not_found" };
  const runs = sql.all<RunRow>(
    `SELECT ${runColumns} FROM runs WHERE conversation_id = ?`,
    write.id,
  );
  const running = runs.find((run) => run.ended_at === null);
  if (running !== undefined) return stillRuns(running);
  const needed = neededElsewhere(writing, write.id);
  const gone = runs.filter((run) => !needed.has(run.id));
  sql.run("UPDATE runs SET conversation_id = NULL WHERE conversation_id = ?", write.id);
  removeRuns(writing, gone);
  sql.run("DELETE FROM conversations WHERE id = ?", write.id);
  return { status: "deleted", runIds: gone.map((run) => run.id) };
}

/** The conversation's runs that runs outside it descend from. */
function neededElsewhere({ sql }: Writing, conversationId: string): ReadonlySet<string> {
  const rows = sql.all<{ id: string }>(
    `WITH RECURSIVE needed (id, parent_id) AS (
       SELECT p.id, p.parent_id FROM runs c JOIN runs p ON p.id = c.parent_id
       WHERE p.conversation_id = ? AND (c.conversation_id IS NULL OR c.conversation_id <> ?)
       UNION
       SELECT r.id, r.parent_id FROM needed d JOIN runs r ON r.id = d.parent_id
     )
     SELECT id FROM needed`,
    conversationId,
    conversationId,
  );
  return new Set(rows.map((row) => row.id));
}

function removeRuns(writing: Writing, runs: readonly RunRow[]): void {
  const { sql } = writing;
  for (const { n, id } of runs) {
    // Read again: a run removed before may have been its parent.
    const parent =
      sql.get<{ parent_id: string | null }>("SELECT parent_id FROM runs WHERE n = ?", n)
        ?.parent_id ?? null;
    sql.run("UPDATE runs SET parent_id = ? WHERE parent_id = ?", parent, id);
    sql.run("UPDATE conversations SET head_run_id = ? WHERE head_run_id = ?", parent, id);
    wipeRun(writing, n);
    for (const table of tablesOfRun) sql.run(`DELETE FROM ${table} WHERE run_n = ?`, n);
    sql.run("DELETE FROM runs WHERE n = ?", n);
    writing.runs.drop(id);
  }
  for (const sessionId of new Set(runs.map((run) => run.session_id)))
    sweepSession(writing, sessionId);
}

/** Removes what no run of the session can reach any more: manifests, values, and at the end its grants. */
function sweepSession({ sql }: Writing, sessionId: string): void {
  sql.run(
    `DELETE FROM manifests WHERE session_id = ? AND digest NOT IN (
       SELECT manifest FROM runs WHERE session_id = ? AND manifest IS NOT NULL
       UNION SELECT base_manifest FROM runs WHERE session_id = ? AND base_manifest IS NOT NULL
     )`,
    sessionId,
    sessionId,
    sessionId,
  );
  const reachable = new Set<string>();
  for (const row of sql.all<{ entries: string }>(
    "SELECT entries FROM manifests WHERE session_id = ?",
    sessionId,
  )) {
    for (const entry of Object.values(JSON.parse(row.entries) as Manifest))
      reachable.add(entry.digest);
  }
  const changes = sql.all<{ entry: string }>(
    `SELECT v.entry FROM run_variables v JOIN runs r ON r.n = v.run_n
     WHERE r.session_id = ? AND v.entry IS NOT NULL`,
    sessionId,
  );
  for (const { entry } of changes) {
    const change = JSON.parse(entry) as ManifestChange;
    if ("digest" in change) reachable.add(change.digest);
  }
  const values = sql.all<{ digest: string }>(
    "SELECT digest FROM variable_values WHERE session_id = ?",
    sessionId,
  );
  for (const { digest } of values) {
    if (reachable.has(digest)) continue;
    sql.run("DELETE FROM variable_values WHERE session_id = ? AND digest = ?", sessionId, digest);
  }
  const left = sql.get("SELECT 1 FROM runs WHERE session_id = ?", sessionId);
  if (left === undefined) sql.run("DELETE FROM grants WHERE session_id = ?", sessionId);
}

function stillRuns(run: RunRow): { readonly status: "refused"; readonly reason: string } {
  return { status: "refused", reason: `Run ${run.id} has not ended: cancel it first.` };
}
