import type { JsonValue, Message } from "@capstan/core";
import type { ChainResultRecord } from "@capstan/core/host";
import type { RunStatus } from "@capstan/contract";
import type { RunKind, RunRecord, RunRef, RunWithMessages } from "../records/records.ts";
import { all, first, type Script } from "../sql/script.ts";
import { statement } from "../sql/statement.ts";
import { messageTexts } from "./read-journal.ts";

export interface RunRow {
  readonly n: number;
  readonly id: string;
  readonly owner: string;
  readonly session_id: string;
  readonly conversation_id: string | null;
  readonly parent_id: string | null;
  readonly kind: RunKind;
  readonly status: RunStatus;
  readonly epoch: number;
  readonly edits: number;
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

export const selectRuns = `SELECT r.n, r.id, r.owner, r.session_id, r.conversation_id, r.parent_id, r.kind, r.status, r.epoch,
  r.edits, r.model, r.stored, r.title, q.request, q.input, s.result, r.created_at, r.updated_at, r.ended_at,
  (SELECT COALESCE(MAX(e.seq), 0) FROM stored_seqs e WHERE e.run_n = r.n) AS last_seq
  FROM runs r JOIN run_requests q ON q.run_n = r.n LEFT JOIN run_results s ON s.run_n = r.n`;

/** The tables of `selectRuns`, whose view `stored_seqs` reads the tail on PostgreSQL. */
export const runTables = {
  reads: ["runs", "run_requests", "run_results", "run_journal", "tail"],
} as const;

const selectRefs = "SELECT id, owner, status, epoch FROM runs";

const findRun = statement<RunRow>(runTables, `${selectRuns} WHERE r.id = ? AND r.owner = ?`);

const findRunsOfConversation = statement<RunRow>(
  runTables,
  `${selectRuns} WHERE r.conversation_id = ? AND r.owner = ? ORDER BY r.n`,
);

const findChildren = statement<RunRow>(
  runTables,
  `${selectRuns} WHERE r.parent_id = ? AND r.owner = ? ORDER BY r.n`,
);

const findRunsIn = statement<RunRef>(
  { reads: ["runs"] },
  `${selectRefs} WHERE status = ? ORDER BY n`,
);

const findQueued = statement<RunRef>(
  { reads: ["runs"] },
  `SELECT id, owner, status, epoch FROM (
     SELECT n, id, owner, status, epoch, ROW_NUMBER() OVER (PARTITION BY owner ORDER BY n) AS turn
     FROM runs WHERE status = 'queued' AND ended_at IS NULL) waiting
   WHERE turn <= ? ORDER BY turn, n LIMIT 1000`,
);

const findOrphans = statement<RunRef>(
  { reads: ["runs", "nodes"] },
  `${selectRefs} WHERE status = 'in_progress' AND ended_at IS NULL
     AND NOT EXISTS (SELECT 1 FROM nodes d WHERE d.id = runs.node) ORDER BY n`,
);

const findRunsOfNode = statement<RunRef>(
  { reads: ["runs"] },
  `${selectRefs} WHERE status = 'in_progress' AND ended_at IS NULL AND node = ? ORDER BY n`,
);

const findSuspended = statement<RunRef>(
  { reads: ["runs"] },
  `${selectRefs} WHERE status = 'requires_action' AND updated_at < ? ORDER BY updated_at, n LIMIT 100`,
);

const findSuspendedSince = statement<{ since: number | null }>(
  { reads: ["runs"] },
  "SELECT MIN(updated_at) AS since FROM runs WHERE status = 'requires_action'",
);

const findAncestors = statement<RunRow>(
  runTables,
  `WITH RECURSIVE line (n, parent_id) AS (
     SELECT n, parent_id FROM runs WHERE id = ? AND owner = ?
     UNION ALL
     SELECT p.n, p.parent_id FROM line l JOIN runs p ON p.id = l.parent_id
   )
   ${selectRuns} JOIN line ON line.n = r.n ORDER BY r.n`,
);

const findKey = statement<RunKey>(
  { reads: ["runs"] },
  "SELECT n, status, ended_at FROM runs WHERE id = ? AND owner = ?",
);

export function* getRun(query: { owner: string; id: string }): Script<RunRecord | undefined> {
  const row = yield* first(findRun, query.id, query.owner);
  return row === undefined ? undefined : runRecord(row);
}

export function* listRuns(query: { owner: string; conversationId: string }): Script<RunRecord[]> {
  const rows = yield* all(findRunsOfConversation, query.conversationId, query.owner);
  return rows.map(runRecord);
}

export function* listChildren(query: { owner: string; runId: string }): Script<RunRecord[]> {
  const rows = yield* all(findChildren, query.runId, query.owner);
  return rows.map(runRecord);
}

export function* everyRunIn(query: { status: RunStatus }): Script<RunRef[]> {
  const rows = yield* all(findRunsIn, query.status);
  return rows.map(runRef);
}

/** The oldest queued runs of each owner, at most `each`: every owner's first, then every owner's second, … */
export function* everyQueued(query: { each: number }): Script<RunRef[]> {
  const rows = yield* all(findQueued, query.each);
  return rows.map(runRef);
}

/** Runs in progress that no known node has, oldest first. */
export function* everyOrphan(): Script<RunRef[]> {
  const rows = yield* all(findOrphans);
  return rows.map(runRef);
}

/** Runs in progress that a node claimed last, oldest first. */
export function* everyRunOf(query: { node: string }): Script<RunRef[]> {
  const rows = yield* all(findRunsOfNode, query.node);
  return rows.map(runRef);
}

/** Every owner's runs that were suspended before a time, oldest first; at most 100. */
export function* everySuspendedBefore(query: { before: number }): Script<RunRef[]> {
  return (yield* all(findSuspended, query.before)).map(runRef);
}

/** When the run was suspended that has been suspended longest, in ms since the epoch. */
export function* everySuspendedSince(): Script<number | undefined> {
  return (yield* first(findSuspendedSince))?.since ?? undefined;
}

function runRef({ id, owner, status, epoch }: RunRef): RunRef {
  return { id, owner, status, epoch };
}

export function* ancestors(query: {
  owner: string;
  runId: string;
}): Script<RunWithMessages[] | undefined> {
  const rows = yield* all(findAncestors, query.runId, query.owner);
  if (rows.length === 0) return undefined;
  const line: RunWithMessages[] = [];
  for (const row of rows) line.push({ run: runRecord(row), messages: yield* messagesOf(row.n) });
  return line;
}

export function* readMessages(query: {
  owner: string;
  runId: string;
}): Script<Message[] | undefined> {
  const run = yield* findRunKey(query);
  return run === undefined ? undefined : yield* messagesOf(run.n);
}

/** A run with its key in the tables that belong to it. */
export interface RunKey {
  readonly n: number;
  readonly status: RunStatus;
  readonly ended_at: number | null;
}

/** Returns the key of a run, or undefined if this owner has no such run. */
export function* findRunKey(query: { owner: string; runId: string }): Script<RunKey | undefined> {
  return yield* first(findKey, query.runId, query.owner);
}

export function* messagesOf(runN: number): Script<Message[]> {
  return (yield* messageTexts(runN)).flatMap((text) => JSON.parse(text) as Message[]);
}

export function runRecord(row: RunRow): RunRecord {
  return {
    id: row.id,
    owner: row.owner,
    sessionId: row.session_id,
    conversationId: row.conversation_id,
    parentId: row.parent_id,
    kind: row.kind,
    status: row.status,
    epoch: row.epoch,
    edits: row.edits,
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
