import { findRunKey } from "./read-events.ts";
import type { JsonValue, Message } from "@capstan/core";
import type { ChainResultRecord } from "@capstan/core/host";
import type { RunStatus } from "@capstan/contract";
import type { StoredList, ResultReplay } from "../blobs/split-inputs.ts";
import type { ListedRun, Page, RunKind, RunRecord, RunRef } from "../records/records.ts";
import { readableStatus } from "../records/run-status.ts";
import { type CheckedRow, isIntact, requireIntact } from "../schema/row-checksums.ts";
import type { Dialect } from "../sql/dialect.ts";
import { all, first, type Script } from "../sql/script.ts";
import { statement } from "../sql/statement.ts";
import { pageLimit, pageOf } from "./page.ts";
import { messageTexts } from "./read-journal.ts";

/** A row of `selectRuns`. */
export interface RunRow extends CheckedRow {
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
  readonly input: string;
  readonly is_cut: number;
  readonly result: string | null;
  readonly last_seq: number;
  readonly created_at: number;
  readonly updated_at: number;
  readonly ended_at: number | null;
}

type RequestedRow = RunRow & { readonly request: string };

/** Runs with their messages as they are stored. */
export type StoredLineage = readonly {
  readonly run: RunRecord;
  readonly messages: StoredList<Message>;
}[];

const fromRuns =
  "FROM runs r JOIN run_requests q ON q.run_n = r.n LEFT JOIN run_results s ON s.run_n = r.n";

const runColumns = (
  dialect: Dialect,
) => `r.n, r.id, r.owner, r.session_id, r.conversation_id, r.parent_id, r.kind, r.status, r.epoch,
  r.edits, r.model, r.stored, r.title, q.input, CASE WHEN q.full_input IS NULL THEN 0 ELSE 1 END AS is_cut,
  s.result, r.created_at, r.updated_at, r.ended_at,
  (SELECT COALESCE(MAX(e.seq), 0) FROM stored_seqs e WHERE e.run_n = r.n) AS last_seq,
  ${isIntact(dialect, "runs", "r")} * ${isIntact(dialect, "run_requests", "q")}
    * ${isIntact(dialect, "run_results", "s")} AS is_intact`;

/** Selects runs without their requests, which can be long. */
export const selectListed = (dialect: Dialect) => `SELECT ${runColumns(dialect)} ${fromRuns}`;

const selectRuns = (dialect: Dialect) => `SELECT ${runColumns(dialect)}, q.request ${fromRuns}`;

/** The tables of `selectRuns`, whose view `stored_seqs` reads the tail on PostgreSQL. */
export const runTables = {
  reads: ["runs", "run_requests", "run_results", "run_journal", "tail"],
} as const;

const selectRefs = "SELECT id, owner, status, epoch FROM runs";

const findRun = statement<RequestedRow>(
  runTables,
  (dialect) => `${selectRuns(dialect)} WHERE r.id = ? AND r.owner = ?`,
);

const findRunsOfConversation = statement<RunRow>(
  runTables,
  (dialect) => `${selectListed(dialect)} WHERE r.conversation_id = ? AND r.owner = ?
     AND (r.kind = 'turn' OR q.input <> '[]')
     AND r.n > COALESCE((SELECT n FROM runs WHERE id = ? AND owner = ?), 0)
   ORDER BY r.n LIMIT ?`,
);

const findInput = statement<CheckedRow & { input: string }>(
  { reads: ["runs", "run_requests"] },
  (dialect) => `SELECT COALESCE(q.full_input, q.input) AS input,
   ${isIntact(dialect, "run_requests", "q")} AS is_intact FROM runs r JOIN run_requests q ON q.run_n = r.n
   WHERE r.id = ? AND r.owner = ?`,
);

const findChildren = statement<RequestedRow>(
  runTables,
  (dialect) => `${selectRuns(dialect)} WHERE r.parent_id = ? AND r.owner = ? ORDER BY r.n`,
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

const findAncestors = statement<RequestedRow & { replay: string | null }>(
  runTables,
  (dialect) => `WITH RECURSIVE line (n, parent_id) AS (
     SELECT n, parent_id FROM runs WHERE id = ? AND owner = ?
     UNION ALL
     SELECT p.n, p.parent_id FROM line l JOIN runs p ON p.id = l.parent_id
   )
   SELECT ${runColumns(dialect)}, q.request, s.replay ${fromRuns} JOIN line ON line.n = r.n ORDER BY r.n`,
);

/** Returns a run. */
export function* getRun(query: { owner: string; id: string }): Script<RunRecord | undefined> {
  const row = yield* first(findRun, query.id, query.owner);
  return row && runRecord(row);
}

/**
 * Returns the runs of a conversation, oldest first, with those that only hold added messages, and
 * without those that only hold changes of variables.
 */
export function* listRuns(query: {
  owner: string;
  conversationId: string;
  limit?: number;
  after?: string;
}): Script<Page<ListedRun>> {
  const limit = pageLimit(query.limit);
  const { conversationId, owner, after = null } = query;
  const rows = yield* all(findRunsOfConversation, conversationId, owner, after, owner, limit + 1);
  return pageOf(rows, limit, listedRun);
}

/** Returns the runs that continue a run, oldest first. */
export function* listChildren(query: { owner: string; runId: string }): Script<RunRecord[]> {
  const rows = yield* all(findChildren, query.runId, query.owner);
  return rows.map(runRecord);
}

/** Returns every owner's runs with a status, oldest first. */
export function* everyRunIn(query: { status: RunStatus }): Script<RunRef[]> {
  const rows = yield* all(findRunsIn, query.status);
  return rows.map(runRef);
}

/**
 * Returns the oldest queued runs of each owner, at most `each`: the first of every owner, then the
 * second of every owner, and so on.
 */
export function* everyQueued(query: { each: number }): Script<RunRef[]> {
  const rows = yield* all(findQueued, query.each);
  return rows.map(runRef);
}

/** Returns the runs in progress that no registered node owns, oldest first. */
export function* everyOrphan(): Script<RunRef[]> {
  const rows = yield* all(findOrphans);
  return rows.map(runRef);
}

/** Returns the runs in progress that a node claimed last, oldest first. */
export function* everyRunOf(query: { node: string }): Script<RunRef[]> {
  const rows = yield* all(findRunsOfNode, query.node);
  return rows.map(runRef);
}

/** Returns every owner's runs that were suspended before a time, oldest first; at most 100. */
export function* everySuspendedBefore(query: { before: number }): Script<RunRef[]> {
  return (yield* all(findSuspended, query.before)).map(runRef);
}

/** Returns the whole input of a run in its stored form. */
export function* readInput(query: {
  owner: string;
  runId: string;
}): Script<StoredList<JsonValue> | undefined> {
  const row = yield* first(findInput, query.runId, query.owner);
  if (row === undefined) return undefined;
  requireIntact("run_requests", row);
  return JSON.parse(row.input) as StoredList<JsonValue>;
}

/** Returns when the longest suspended run was suspended, in ms since the epoch. */
export function* everySuspendedSince(): Script<number | undefined> {
  return (yield* first(findSuspendedSince))?.since ?? undefined;
}

function runRef({ id, owner, status, epoch }: RunRef): RunRef {
  return { id, owner, status, epoch };
}

/** Returns a run and its ancestors with their messages, oldest first. */
export function* ancestors(query: {
  owner: string;
  runId: string;
}): Script<StoredLineage | undefined> {
  const rows = yield* all(findAncestors, query.runId, query.owner);
  if (rows.length === 0) return undefined;
  const line: StoredLineage[number][] = [];
  for (const row of rows) {
    const run = runRecord(row);
    const replay = row.replay === null ? {} : (JSON.parse(row.replay) as ResultReplay);
    const result = run.result && { ...run.result, ...replay };
    line.push({ run: { ...run, result }, messages: yield* messagesOf(row.n) });
  }
  return line;
}

/** Returns the messages of a run. */
export function* readMessages(query: {
  owner: string;
  runId: string;
}): Script<StoredList<Message> | undefined> {
  const run = yield* findRunKey(query);
  return run === undefined ? undefined : yield* messagesOf(run.n);
}

/** Returns the messages of a known run in their stored form. */
export function* messagesOf(runN: number): Script<StoredList<Message>> {
  return (yield* messageTexts(runN)).flatMap((text) => JSON.parse(text) as StoredList<Message>);
}

function runRecord(row: RequestedRow): RunRecord {
  requireIntact("runs", row);
  const run = { ...columnsOf(row), ...textsOf(row) };
  return { ...run, request: JSON.parse(row.request) as JsonValue };
}

/** Returns a run of a list. A corrupt run must not hide the others. */
export function listedRun(row: RunRow): ListedRun {
  try {
    requireIntact("runs", row);
    return { ...columnsOf(row), ...textsOf(row) };
  } catch {
    const status = readableStatus(row.status);
    const lost = { input: [], isInputCut: true, result: null } as const;
    return { ...columnsOf({ ...row, status }), ...lost, isCorrupt: true };
  }
}

/**
 * Parses the texts of a run's row.
 *
 * @throws SyntaxError if one is corrupt
 */
function textsOf(row: RunRow): Pick<ListedRun, "input" | "isInputCut" | "result"> {
  return {
    input: JSON.parse(row.input) as JsonValue[],
    isInputCut: row.is_cut === 1,
    result: row.result === null ? null : (JSON.parse(row.result) as ChainResultRecord),
  };
}

function columnsOf(row: RunRow): Omit<ListedRun, "input" | "isInputCut" | "result"> {
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
    lastSeq: row.last_seq,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    endedAt: row.ended_at,
  };
}
