import { type ApprovalRow, approvalRecord, selectApprovals } from "./approval-rows.ts";
import type {
  ApprovalCursor,
  ApprovalRecord,
  ApprovalStatus,
  Page,
} from "../../records/records.ts";
import { all, first, type Script } from "../../sql/script.ts";
import { pageLimit, pageOf } from "../page.ts";

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
  after?: ApprovalCursor;
}): Script<Page<ApprovalRecord>> {
  const limit = pageLimit(query.limit);
  const { owner, status, conversationId, runId, after } = query;
  // Only what is asked about, so that its index is used: an owner's questions are many, a run's are few.
  const conditions = [
    runId === undefined
      ? { text: "a.owner = ?", values: [owner] }
      : { text: "r.id = ? AND r.owner = ?", values: [runId, owner] },
    ...(status === undefined ? [] : [{ text: "a.status = ?", values: [status] }]),
    ...(conversationId === undefined
      ? []
      : [{ text: "r.conversation_id = ?", values: [conversationId] }]),
    ...(after === undefined
      ? []
      : [{ text: "(a.created_at, a.id) < (?, ?)", values: [after.createdAt, after.id] }]),
  ];
  const rows = yield* all<ApprovalRow>(
    `${selectApprovals} WHERE ${conditions.map(({ text }) => text).join(" AND ")}
     ORDER BY a.created_at DESC, a.id DESC LIMIT ?`,
    ...conditions.flatMap(({ values }) => values),
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
