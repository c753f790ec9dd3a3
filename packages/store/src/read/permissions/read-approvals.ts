import type { ApprovalDecision, ApprovalRequest, ReviewDecision } from "@capstan/core";
import type { ReviewNotice, ReviewOutcome } from "@capstan/core/host";
import type {
  ApprovalRecord,
  ApprovalStatus,
  CreationCursor,
  CorruptPermission,
  ExecutionApproval,
  Page,
  PendingApproval,
  ResultApproval,
} from "../../records/records.ts";
import { type CheckedRow, isIntact, requireIntact } from "../../schema/row-checksums.ts";
import type { Dialect } from "../../sql/dialect.ts";
import { all, first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import { corruptPermission, newest, pageLimit, pageOf, readable } from "../page.ts";

/**
 * The columns of an approval with those of its run; add a `WHERE`. A forgotten run has no user as
 * its owner. This form keeps PostgreSQL from searching all runs of the owner for the approval's
 * run.
 */
export const selectApprovals = (
  dialect: Dialect,
) => `SELECT a.id, a.owner, a.kind, r.id AS run_id, r.session_id, r.conversation_id, a.request,
  a.status, a.answer, a.created_at, a.created_seq, a.expires_at, a.answered_at, q.data AS review,
  ${isIntact(dialect, "approvals", "a")} * ${isIntact(dialect, "quarantine", "q")}
    * ${isIntact(dialect, "runs", "r")} AS is_intact
  FROM approvals a JOIN runs r ON r.n = a.run_n AND r.owner || '' = a.owner || ''
  LEFT JOIN quarantine q ON q.id = a.id AND q.part = 'answer'`;

/** A row of `selectApprovals`. */
export interface ApprovalRow extends CheckedRow {
  readonly id: string;
  readonly owner: string;
  readonly kind: ApprovalRecord["kind"];
  readonly run_id: string;
  readonly session_id: string;
  readonly conversation_id: string | null;
  readonly request: string;
  readonly status: ApprovalRecord["status"];
  readonly answer: string | null;
  readonly created_at: number;
  readonly created_seq: number;
  readonly expires_at: number;
  readonly answered_at: number | null;
  /** The reviewer's whole answer, until it is carried out. */
  readonly review: string | null;
}

/**
 * Returns the approval of a row.
 *
 * @throws CapstanError `database_corrupt` if the row is corrupt
 */
export function approvalRecord(row: ApprovalRow): ApprovalRecord {
  requireIntact("approvals", row);
  const request = JSON.parse(row.request) as ApprovalRequest | ReviewNotice;
  const common = {
    id: row.id,
    owner: row.owner,
    runId: row.run_id,
    callId: request.callId,
    sessionId: row.session_id,
    conversationId: row.conversation_id,
    createdAt: row.created_at,
    createdSeq: row.created_seq,
    expiresAt: row.expires_at,
    answeredAt: row.answered_at,
  };
  if (row.kind === "execution")
    return {
      ...common,
      kind: "execution",
      request: request as ApprovalRequest,
      status: row.status as ExecutionApproval["status"],
      answer: parsed(row.answer) as ApprovalDecision | null,
    };
  return {
    ...common,
    kind: "result",
    request: request as ReviewNotice,
    status: row.status as ResultApproval["status"],
    outcome: parsed(row.answer) as ReviewOutcome | null,
    answer: parsed(row.review) as ReviewDecision | null,
  };
}

function parsed(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}

/** The tables of `selectApprovals`. */
export const approvalTables = { reads: ["approvals", "runs", "quarantine"] } as const;

const findApproval = statement<ApprovalRow>(
  approvalTables,
  (dialect) => `${selectApprovals(dialect)} WHERE a.id = ? AND a.owner = ?`,
);

const findCursor = statement<CreationCursor>(
  { reads: ["approvals"] },
  'SELECT created_seq AS "createdSeq", id FROM approvals WHERE id = ? AND owner = ?',
);

const pageOrder = `AND (CAST(? AS TEXT) IS NULL OR a.status = ?)
     AND (CAST(? AS TEXT) IS NULL OR r.conversation_id = ?) AND (a.created_seq, a.id) < (?, ?)
   ORDER BY a.created_seq DESC, a.id DESC LIMIT ?`;

const findPage = statement<ApprovalRow>(
  approvalTables,
  (dialect) => `${selectApprovals(dialect)} WHERE a.owner = ? ${pageOrder}`,
);

// A separate statement, so that its index is used: an owner has many approvals, a run has few.
const findPageOfRun = statement<ApprovalRow>(
  approvalTables,
  (dialect) => `${selectApprovals(dialect)} WHERE r.owner = ? AND r.id = ? ${pageOrder}`,
);

// Counts the entries of a page, and those whose requests fit together, newest first.
const pageSizes = (where: string) =>
  `SELECT COUNT(*) AS found, COUNT(*) FILTER (WHERE bytes <= ?) AS fitting FROM (
     SELECT SUM(octet_length(request)) OVER (ORDER BY created_seq DESC, id DESC) AS bytes FROM (
       SELECT a.request, a.created_seq, a.id FROM approvals a
         JOIN runs r ON r.n = a.run_n AND r.owner || '' = a.owner || ''
         WHERE ${where} ${pageOrder}
     ) AS page
   ) AS sized`;

interface PageSizes {
  readonly found: number;
  readonly fitting: number;
}

const measurePage = statement<PageSizes>(
  { reads: ["approvals", "runs"] },
  pageSizes("a.owner = ?"),
);

const measurePageOfRun = statement<PageSizes>(
  { reads: ["approvals", "runs"] },
  pageSizes("r.owner = ? AND r.id = ?"),
);

const findPending = statement<PendingApproval>(
  { reads: ["approvals"] },
  `SELECT id, created_at AS "createdAt", expires_at AS "expiresAt" FROM approvals
   WHERE status = 'pending' ORDER BY expires_at, id`,
);

/** Returns an approval. */
export function* getApproval(query: {
  owner: string;
  id: string;
}): Script<ApprovalRecord | undefined> {
  const row = yield* first(findApproval, query.id, query.owner);
  return row === undefined ? undefined : approvalRecord(row);
}

/** Returns the position of an approval in the list, even if it is corrupt. */
export function* findApprovalCursor(query: {
  owner: string;
  id: string;
}): Script<CreationCursor | undefined> {
  return yield* first(findCursor, query.id, query.owner);
}

/**
 * Returns a page of approvals, newest first.
 *
 * @param query.maxBytes the page ends earlier if the requests of its entries have more bytes
 * together, but it has at least one entry
 */
export function* listApprovals(query: {
  owner: string;
  status?: ApprovalStatus;
  conversationId?: string;
  runId?: string;
  limit?: number;
  after?: CreationCursor;
  maxBytes?: number;
}): Script<Page<ApprovalRecord | CorruptPermission>> {
  const most = pageLimit(query.limit);
  const { owner, status = null, conversationId = null, runId } = query;
  const after = query.after ?? newest;
  const entries = [
    owner,
    ...(runId === undefined ? [] : [runId]),
    status,
    status,
    conversationId,
    conversationId,
    after.createdSeq,
    after.id,
  ];
  const { maxBytes = Number.MAX_SAFE_INTEGER } = query;
  const [findSizes, find] =
    runId === undefined ? [measurePage, findPage] : [measurePageOfRun, findPageOfRun];
  const sizes = yield* first(findSizes, maxBytes, ...entries, most + 1);
  const limit = Math.max(1, Math.min(most, sizes?.fitting ?? 0));
  const rows = yield* all(find, ...entries, limit);
  const { data } = pageOf(
    rows,
    limit,
    (row) => readable(row, approvalRecord) ?? corruptPermission(row),
  );
  return { data, hasMore: (sizes?.found ?? 0) > limit };
}

/** Returns every owner's pending approvals, in the order of their deadlines. */
export function* everyPendingApproval(): Script<readonly PendingApproval[]> {
  return yield* all(findPending);
}
