import type { ApprovalDecision, ReviewOutcome } from "@capstan/core";
import type { ApprovalRecord } from "../records.ts";
import type { Writing } from "./writing.ts";

/** Writes how a question was answered, of a call or of its result, if nobody did before. */
export function decideApproval(
  { changes }: Writing,
  given: {
    readonly id: string;
    readonly owner: string;
    readonly status: ApprovalRecord["status"];
    readonly word: ApprovalDecision | ReviewOutcome;
    readonly at: number;
  },
): void {
  changes.run(
    `UPDATE approvals SET status = ?, answer = ?, answered_at = ?
     WHERE id = ? AND owner = ? AND status = 'pending'`,
    given.status,
    JSON.stringify(given.word),
    given.at,
    given.id,
    given.owner,
  );
}

/** What a run was waiting for as it ended. */
export function settleApprovalsOf(
  { changes }: Writing,
  runN: number,
  status: "expired" | "cancelled",
  at: number,
): void {
  changes.run(
    "UPDATE approvals SET status = ?, answered_at = ? WHERE run_n = ? AND status = 'pending'",
    status,
    at,
    runN,
  );
}

export function cancelApproval({ changes }: Writing, runN: number, id: string, at: number): void {
  changes.run(
    "UPDATE approvals SET status = 'cancelled', answered_at = ? WHERE id = ? AND run_n = ? AND status = 'pending'",
    at,
    id,
    runN,
  );
}
