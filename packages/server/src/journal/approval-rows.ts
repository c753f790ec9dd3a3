import type { ApprovalDecision, ApprovalRequest } from "@capstan/core";
import type { ApprovalRecord, ApprovalStatus } from "./records.ts";

/** The columns of an approval with those of its run; add a `WHERE`. */
export const selectApprovals = `SELECT a.id, a.owner, r.id AS run_id, a.call_id, r.session_id, r.conversation_id, a.request,
  a.status, a.answer, a.created_at, a.expires_at, a.answered_at FROM approvals a JOIN runs r ON r.n = a.run_n`;

export interface ApprovalRow {
  readonly id: string;
  readonly owner: string;
  readonly run_id: string;
  readonly call_id: string;
  readonly session_id: string;
  readonly conversation_id: string | null;
  readonly request: string;
  readonly status: ApprovalStatus;
  readonly answer: string | null;
  readonly created_at: number;
  readonly expires_at: number;
  readonly answered_at: number | null;
}

export function approvalRecord(row: ApprovalRow): ApprovalRecord {
  return {
    id: row.id,
    owner: row.owner,
    runId: row.run_id,
    callId: row.call_id,
    sessionId: row.session_id,
    conversationId: row.conversation_id,
    request: JSON.parse(row.request) as ApprovalRequest,
    status: row.status,
    answer: row.answer === null ? null : (JSON.parse(row.answer) as ApprovalDecision),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    answeredAt: row.answered_at,
  };
}
