import { changesIn } from "../../read/manifest.ts";
import type { Manifest } from "../../records/records.ts";
import { readable } from "../../read/page.ts";
import { all, first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import { wipeRunQuarantine } from "../permissions/quarantine.ts";
import type { WriteContext } from "../state/write-context.ts";

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

/** Tables whose rows belong to one run. */
const tablesOfRun = [
  "run_requests",
  "run_blobs",
  "run_files",
  "completions",
  "run_words",
  "run_usage",
  "run_results",
  "run_journal",
  "answerable_calls",
  "client_outputs",
  "run_variables",
  "items",
  "approvals",
] as const;

const lockRun = statement<RunRow>(
  { reads: ["runs"] },
  ({ lock }) => `SELECT ${runColumns} FROM runs WHERE id = ? AND owner = ?${lock("runs")}`,
);

const findConversation = statement(
  { reads: ["conversations"] },
  "SELECT 1 FROM conversations WHERE id = ? AND owner = ?",
);

const lockRunsOfConversation = statement<RunRow>(
  { reads: ["runs"] },
  ({ lock }) =>
    `SELECT ${runColumns} FROM runs WHERE conversation_id = ? ORDER BY id${lock("runs")}`,
);

const findNeeded = statement<{ id: string }>(
  { reads: ["runs"] },
  `WITH RECURSIVE needed (id, parent_id) AS (
     SELECT p.id, p.parent_id FROM runs c JOIN runs p ON p.id = c.parent_id
     WHERE p.conversation_id = ? AND (c.conversation_id IS NULL OR c.conversation_id <> ?)
     UNION
     SELECT r.id, r.parent_id FROM needed d JOIN runs r ON r.id = d.parent_id
   )
   SELECT id FROM needed`,
);

const deleteFiles = statement(
  { reads: ["run_files"], writes: ["files"] },
  "DELETE FROM files WHERE id IN (SELECT file_id FROM run_files WHERE run_n = ?)",
);

const findParent = statement<{ parent_id: string | null }>(
  { reads: ["runs"] },
  "SELECT parent_id FROM runs WHERE n = ?",
);

const deleteManifests = statement(
  { reads: ["runs"], writes: ["manifests"] },
  `DELETE FROM manifests WHERE session_id = ? AND digest NOT IN (
     SELECT manifest FROM runs WHERE session_id = ? AND manifest IS NOT NULL
     UNION SELECT base_manifest FROM runs WHERE session_id = ? AND base_manifest IS NOT NULL
   )`,
);

const findManifests = statement<{ entries: string }>(
  { reads: ["manifests"] },
  "SELECT entries FROM manifests WHERE session_id = ?",
);

const findChanges = statement<{ changes: string }>(
  { reads: ["run_variables", "runs"] },
  "SELECT v.changes FROM run_variables v JOIN runs r ON r.n = v.run_n WHERE r.session_id = ?",
);

const findValues = statement<{ digest: string }>(
  { reads: ["variable_values"] },
  "SELECT digest FROM variable_values WHERE session_id = ?",
);

const findLeft = statement({ reads: ["runs"] }, "SELECT 1 FROM runs WHERE session_id = ?");

/** Deletes a run that has ended. */
export function* deleteRun(context: WriteContext, write: DeleteRun): Script<OutcomeOf<DeleteRun>> {
  const run = yield* first(lockRun, write.id, write.owner);
  if (run === undefined) return { status: "not_found" };
  if (run.ended_at === null) return refusedAsRunning(run);
  yield* removeRuns(context, [run]);
  context.notes.push({ owner: write.owner, event: { type: "run.deleted", run: run.id } });
  return { status: "deleted", runIds: [run.id] };
}

/** Deletes a conversation with its runs. */
export function* deleteConversation(
  context: WriteContext,
  write: DeleteConversation,
): Script<OutcomeOf<DeleteConversation>> {
  const { changes, notes } = context;
  const known = yield* first(findConversation, write.id, write.owner);
  if (known === undefined) return { status: "not_found" };
  const runs = yield* all(lockRunsOfConversation, write.id);
  const running = runs.find((run) => run.ended_at === null);
  if (running !== undefined) return refusedAsRunning(running);
  const needed = yield* neededElsewhere(write.id);
  const gone = runs.filter((run) => !needed.has(run.id));
  changes.update("runs", { conversation_id: write.id }, { conversation_id: null });
  yield* removeRuns(context, gone);
  changes.remove("thread_objects", { conversation_id: write.id });
  changes.remove("shares", { conversation_id: write.id });
  changes.remove("conversations", { id: write.id });
  const { owner, id: conversation } = write;
  notes.push({ owner, event: { type: "conversation.deleted", conversation } });
  return { status: "deleted", runIds: gone.map((run) => run.id) };
}

/** Returns the runs of a conversation that have descendants in other conversations. */
function* neededElsewhere(conversationId: string): Script<ReadonlySet<string>> {
  const rows = yield* all(findNeeded, conversationId, conversationId);
  return new Set(rows.map((row) => row.id));
}

function* removeRuns(context: WriteContext, runs: readonly RunRow[]): Script<void> {
  const { changes } = context;
  for (const { n, id } of runs) {
    // Read again, because its parent can have been deleted earlier in this loop.
    const parent = (yield* first(findParent, n))?.parent_id ?? null;
    changes.update("runs", { parent_id: id }, { parent_id: parent });
    changes.update("conversations", { head_run_id: id }, { head_run_id: parent });
    wipeRunQuarantine(context, n);
    changes.remove("request_keys", { resource_id: id });
    changes.run(deleteFiles, n);
    for (const table of tablesOfRun) changes.remove(table, { run_n: n });
    removeRun(context, n);
    context.runs.drop(id);
  }
  for (const sessionId of new Set(runs.map((run) => run.session_id)))
    yield* sweepSession(context, sessionId);
}

/**
 * Deletes the manifests and values that no run of the session refers to any more, and, after its
 * last run, its grants.
 */
function* sweepSession({ changes }: WriteContext, sessionId: string): Script<void> {
  changes.run(deleteManifests, sessionId, sessionId, sessionId);
  const reachable = new Set<string>();
  // References from corrupt rows are ignored; otherwise they could prevent the deletion of other
  // data.
  const reachAll = (changed: Iterable<object | null>) => {
    for (const each of changed)
      if (each !== null && "digest" in each) reachable.add(String(each.digest));
  };
  for (const row of yield* all(findManifests, sessionId))
    reachAll(Object.values(readable(row, ({ entries }) => JSON.parse(entries) as Manifest) ?? {}));
  for (const row of yield* all(findChanges, sessionId))
    reachAll((readable(row, (edit) => changesIn(edit.changes)) ?? []).map(([, change]) => change));
  const values = yield* all(findValues, sessionId);
  for (const { digest } of values) {
    if (reachable.has(digest)) continue;
    changes.remove("variable_values", { session_id: sessionId, digest });
  }
  const left = yield* first(findLeft, sessionId);
  if (left === undefined) changes.remove("grants", { session_id: sessionId });
}

function refusedAsRunning(run: RunRow): { readonly status: "refused"; readonly reason: string } {
  return { status: "refused", reason: `Run ${run.id} has not ended: cancel it first.` };
}

/** Deletes a run's own row. Its number may be reused, so no row of the tail may remain. */
export function removeRun({ changes, trim }: WriteContext, n: number): void {
  // An ended run has only tail rows that await removal.
  if (trim?.isEmpty === false) changes.remove("tail", { run_n: n });
  changes.remove("runs", { n });
}
