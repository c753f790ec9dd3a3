import type { ChainResultRecord, JsonValue, Message } from "@capstan/core";
import type { RunStatus } from "../../contract/run.ts";
import type { RunKind, RunRecord, RunWithMessages } from "../records.ts";
import type { Sql } from "../sql.ts";

interface RunRow {
  readonly n: number;
  readonly id: string;
  readonly owner: string;
  readonly session_id: string;
  readonly conversation_id: string | null;
  readonly parent_id: string | null;
  readonly kind: RunKind;
  readonly status: RunStatus;
  readonly epoch: number;
  readonly model: string;
  readonly stored: number;
  readonly title: string | null;
  readonly request: string;
  readonly input: string;
  readonly result: string | null;
  readonly last_seq: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly ended_at: number | null;
}

const selectRuns = `SELECT r.n, r.id, r.owner, r.session_id, r.conversation_id, r.parent_id, r.kind, r.status, r.epoch,
  r.model, r.stored, r.title, q.request, q.input, s.result, r.created_at, r.updated_at, r.ended_at,
  (SELECT COALESCE(MAX(e.seq), 0) FROM run_events e WHERE e.run_n = r.n) AS last_seq
  FROM runs r JOIN run_requests q ON q.run_n = r.n LEFT JOIN run_results s ON s.run_n = r.n`;

export function getRun(sql: Sql, query: { owner: string; id: string }): RunRecord | undefined {
  const row = sql.get<RunRow>(
    `${selectRuns} WHERE r.id = ? AND r.owner = ?`,
    query.id,
    query.owner,
  );
  return row === undefined ? undefined : runRecord(row);
}

export function listRuns(sql: Sql, query: { owner: string; conversationId: string }): RunRecord[] {
  return sql
    .all<RunRow>(
      `${selectRuns} WHERE r.conversation_id = ? AND r.owner = ? ORDER BY r.n`,
      query.conversationId,
      query.owner,
    )
    .map(runRecord);
}

export function listChildren(sql: Sql, query: { owner: string; runId: string }): RunRecord[] {
  return sql
    .all<RunRow>(
      `${selectRuns} WHERE r.parent_id = ? AND r.owner = ? ORDER BY r.n`,
      query.runId,
      query.owner,
    )
    .map(runRecord);
}

export function everyRunIn(sql: Sql, query: { statuses: readonly RunStatus[] }): RunRecord[] {
  const runs = query.statuses.flatMap((status) =>
    sql.all<RunRow>(`${selectRuns} WHERE r.status = ?`, status),
  );
  return runs.toSorted((a, b) => a.n - b.n).map(runRecord);
}

export function ancestors(
  sql: Sql,
  query: { owner: string; runId: string },
): RunWithMessages[] | undefined {
  const rows = sql.all<RunRow>(
    `WITH RECURSIVE line (n, parent_id) AS (
       SELECT n, parent_id FROM runs WHERE id = ? AND owner = ?
       UNION ALL
       SELECT p.n, p.parent_id FROM line l JOIN runs p ON p.id = l.parent_id
     )
     ${selectRuns} JOIN line ON line.n = r.n ORDER BY r.n`,
    query.runId,
    query.owner,
  );
  if (rows.length === 0) return undefined;
  return rows.map((row) => ({ run: runRecord(row), messages: messagesOf(sql, row.n) }));
}

export function readMessages(
  sql: Sql,
  query: { owner: string; runId: string },
): Message[] | undefined {
  const run = findRunN(sql, query);
  return run === undefined ? undefined : messagesOf(sql, run.n);
}

/** The key that a run's tables use, where the run is this owner's. */
export function findRunN(
  sql: Sql,
  query: { owner: string; runId: string },
): { readonly n: number; readonly status: RunStatus } | undefined {
  return sql.get("SELECT n, status FROM runs WHERE id = ? AND owner = ?", query.runId, query.owner);
}

function messagesOf(sql: Sql, runN: number): Message[] {
  return sql
    .all<{ message: string }>("SELECT message FROM run_messages WHERE run_n = ? ORDER BY n", runN)
    .map((row) => JSON.parse(row.message) as Message);
}

function runRecord(row: RunRow): RunRecord {
  return {
    id: row.id,
    owner: row.owner,
    sessionId: row.session_id,
    conversationId: row.conversation_id,
    parentId: row.parent_id,
    kind: row.kind,
    status: row.status,
    epoch: row.epoch,
    model: row.model,
    stored: row.stored === 1,
    title: row.title,
    request: JSON.parse(row.request) as JsonValue,
    input: JSON.parse(row.input) as JsonValue[],
    result: row.result === null ? null : (JSON.parse(row.result) as ChainResultRecord),
    lastSeq: row.last_seq,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    endedAt: row.ended_at,
  };
}
