import type { RetentionHold, LineageStart, Lineage } from "../../records/read-results.ts";
import { readCallOutcomes } from "../read-journal.ts";
import { all, first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";

/** The owner of runs that are marked for deletion: no user has this name, so no read finds them. */
export const forgottenOwner = "";

/** Selects each blob that a row refers to, and names one such row as the start of a sentence. */
export const referringRows = `SELECT sha256, MIN(holder) AS holder FROM (
    SELECT b.sha256, 'An input of run ' || r.id AS holder FROM run_blobs b JOIN runs r ON r.n = b.run_n
      WHERE r.owner <> '${forgottenOwner}'
    UNION ALL SELECT sha256, 'The content of file ' || id FROM files
    UNION ALL SELECT sha256, 'The content of upload part ' || id FROM upload_parts
  ) AS held GROUP BY sha256`;

interface RunRow {
  readonly id: string;
  readonly conversation_id: string | null;
  readonly ended_at: number | null;
  readonly updated_at: number;
}

const runsOf = (lock: string) =>
  `SELECT id, conversation_id, ended_at, updated_at FROM runs WHERE session_id = ? AND owner = ? ORDER BY id${lock}`;

const findRuns = statement<RunRow>({ reads: ["runs"] }, runsOf(""));

const lockRuns = statement<RunRow>({ reads: ["runs"] }, ({ lock }) => runsOf(lock("runs")));

const findConversation = statement<{ updated_at: number }>(
  { reads: ["conversations"] },
  "SELECT updated_at FROM conversations WHERE id = ? AND owner = ?",
);

const findSessions = statement<{ session_id: string }>(
  { reads: ["runs"] },
  "SELECT DISTINCT session_id FROM runs WHERE conversation_id = ? AND owner = ?",
);

const ofSession = (table: string) =>
  `FROM ${table} t JOIN runs r ON r.n = t.run_n WHERE r.session_id = ?`;

const findPending = statement(
  { reads: ["approvals", "runs"] },
  `SELECT 1 ${ofSession("approvals")} AND t.status = 'pending' LIMIT 1`,
);

const findQuarantined = statement(
  { reads: ["quarantine", "runs"] },
  `SELECT 1 ${ofSession("quarantine")} LIMIT 1`,
);

const findUnknown = statement<{ n: number; id: string }>(
  { reads: ["answerable_calls", "runs"] },
  `SELECT DISTINCT r.n, r.id ${ofSession("answerable_calls")} AND t.answered_by = 'person'`,
);

/**
 * Returns the lineage of a conversation or session, or undefined if the owner has no such
 * conversation or session.
 *
 * @param locks whether to lock the rows, because a decision depends on the result
 */
export function* readLineage(
  { owner, start }: { readonly owner: string; readonly start: LineageStart },
  locks = false,
): Script<Lineage | undefined> {
  const conversations = new Set<string>();
  const sessions = new Set<string>();
  const runIds: string[] = [];
  const holds = new Set<RetentionHold>();
  let touchedAt = 0;
  const left: LineageStart[] = [start];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    if (next.type === "session") {
      if (sessions.has(next.id)) continue;
      sessions.add(next.id);
      const runs = yield* all(locks ? lockRuns : findRuns, next.id, owner);
      for (const run of runs) {
        runIds.push(run.id);
        touchedAt = Math.max(touchedAt, run.updated_at);
        if (run.ended_at === null) holds.add("unfinished");
        const id = run.conversation_id;
        if (id !== null) left.push({ type: "conversation", id });
      }
      for (const hold of yield* holdsOf(next.id)) holds.add(hold);
      continue;
    }
    if (conversations.has(next.id)) continue;
    const row = yield* first(findConversation, next.id, owner);
    if (row === undefined) continue;
    conversations.add(next.id);
    touchedAt = Math.max(touchedAt, row.updated_at);
    const known = yield* all(findSessions, next.id, owner);
    for (const { session_id: id } of known) left.push({ type: "session", id });
  }
  if (conversations.size === 0 && runIds.length === 0) return undefined;
  return {
    conversations: [...conversations].toSorted(),
    sessions: [...sessions].toSorted(),
    runIds,
    touchedAt,
    holds: [...holds].toSorted(),
  };
}

/** Returns the id of a lineage. Each of its conversations and sessions leads to the same id. */
export function lineageKey({ conversations, sessions }: Lineage): string | undefined {
  return conversations[0] ?? sessions[0];
}

function* holdsOf(sessionId: string): Script<readonly RetentionHold[]> {
  const asked = yield* first(findPending, sessionId);
  const secret = yield* first(findQuarantined, sessionId);
  const unknown = yield* all(findUnknown, sessionId);
  const outcomes = new Set<string>();
  for (const run of unknown) outcomes.add(yield* readCallOutcomes(run));
  return [
    ...(asked !== undefined || secret !== undefined ? (["question"] as const) : []),
    ...(outcomes.has("unknown") ? (["unknown_outcome"] as const) : []),
    ...(outcomes.has("unreadable") ? (["unreadable"] as const) : []),
  ];
}
