import type { ApprovalDecision, ReviewDecision, ToolChainRun } from "@capstan/core";
import type { ApprovalRecord, ExecutionApproval, ResultApproval } from "@capstan/store";

/** Gives an active chain the answer of an approval. A chain that does not wait for it ignores it. */
export function deliverAnswer(chain: ToolChainRun, approval: ApprovalRecord): void {
  if (approval.status === "pending") return;
  if (approval.kind === "result") chain.answerReview(approval.id, reviewDecisionOf(approval));
  else chain.answer(approval.id, decisionOf(approval));
}

/** Returns the approval's decision: one that expired or was cancelled is a rejection. */
export function decisionOf({ status, answer }: ExecutionApproval): ApprovalDecision {
  if (answer !== null) return answer;
  const reason = status === "expired" ? "nobody answered in time" : "the question was called off";
  return { decision: "refuse", reason, by: "system" };
}

/** Returns the decision on a result: without a reviewer's answer it is withheld. */
export function reviewDecisionOf({ status, answer }: ResultApproval): ReviewDecision {
  if (answer !== null) return answer;
  const reason = status === "expired" ? "nobody looked at it in time" : "its review was called off";
  return { decision: "withhold", reason, by: "system" };
}
