import { type ApprovalRow, approvalRecord, selectApprovals } from "../approval-rows.ts";
import type { ApprovalRecord, ApprovalStatus, Page } from "../records.ts";
import { all, first, type Script } from "../script.ts";
import { pageLimit, pageOf } from "./page.ts";

export function* getApproval(query: {
  owner: string;
  id: string;
}): Script<ApprovalRecord | undefined> {
  const row = yield* first<ApprovalRow>(
    `${selectApprovals} WHERE a.id = ? AND a.owner = ?`,
    query.id,
    query.owner,
  );
  return row === undefined ? undefined : approvalRecord(row);
}

export function* listApprovals(query: {
  owner: string;
  status?: ApprovalStatus;
  conversationId?: string;
  runId?: string;
  limit?: number;
  after?: string;
}): Script<Page<ApprovalRecord>> {
  const limit = pageLimit(query.limit);
  const { status = null, conversationId = null, runId = null, after = null } = query;
  const rows = yield* all<ApprovalRow>(
    `${selectApprovals} WHERE a.owner = ?
       AND (CAST(? AS TEXT) IS NULL OR a.status = ?)
       AND (CAST(? AS TEXT) IS NULL OR r.conversation_id = ?)
       AND (CAST(? AS TEXT) IS NULL OR r.id = ?)
       AND (CAST(? AS TEXT) IS NULL OR (a.created_at, a.id) < (SELECT created_at, id FROM approvals WHERE id = ? AND owner = ?))
     ORDER BY a.created_at DESC, a.id DESC LIMIT ?`,
    query.owner,
    status,
    status,
    conversationId,
    conversationId,
    runId,
    runId,
    after,
    after,
    query.owner,
    limit + 1,
  );
  return pageOf(rows, limit, approvalRecord);
}

export function* everyNextExpiry(): Script<number | undefined> {
  const row = yield* first<{ next: number | null }>(
    "SELECT MIN(expires_at) AS next FROM approvals WHERE status = 'pending'",
  );
  return row?.next ?? undefined;
}
