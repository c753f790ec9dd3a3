import type { ApprovalRecord } from "../../records/records.ts";
import type { WriteContext } from "../state/write-context.ts";

/** Stores the answer to an approval request, for a call or its result, if it has none yet. */
export function decideApproval(
  { changes }: WriteContext,
  given: {
    readonly id: string;
    readonly owner: string;
    readonly status: ApprovalRecord["status"];
    /** As JSON: an `ApprovalDecision`, or for a review its `ReviewOutcome`. */
    readonly answer: string;
    readonly at: number;
  },
): void {
  const { id, owner, status, answer, at } = given;
  changes.update(
    "approvals",
    { id, owner, status: "pending" },
    { status, answer, answered_at: at },
  );
}

/** Closes the pending approval requests of a run that ends. */
export function closeApprovals(
  { changes }: WriteContext,
  runN: number,
  status: "expired" | "cancelled",
  at: number,
): void {
  changes.update("approvals", { run_n: runN, status: "pending" }, { status, answered_at: at });
}

/** Cancels an approval request if it is still pending. */
export function cancelApproval(
  { changes }: WriteContext,
  runN: number,
  id: string,
  at: number,
): void {
  const where = { id, run_n: runN, status: "pending" };
  changes.update("approvals", where, { status: "cancelled", answered_at: at });
}
