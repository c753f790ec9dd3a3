import type { ReviewDecision } from "@capstan/core";
import type { ReviewOutcome } from "@capstan/core/host";
import { reviewOutcomes } from "@capstan/core/base";
import type { ApprovalRecord, ResultApproval } from "../../records/records.ts";
import type { Script } from "../../sql/script.ts";
import { decideApproval } from "../runs/decide-approval.ts";
import { storeReviewAnswer } from "./quarantine.ts";
import type { WriteContext } from "../state/write-context.ts";

/** Stores a user's decision on a result. The run later carries the decision out. */
export function* answerReview(
  context: WriteContext,
  before: ResultApproval,
  answer: ReviewDecision,
  at: number,
): Script<ApprovalRecord> {
  const { id, owner } = before;
  const outcome = outcomeOf(answer);
  const status = outcome.outcome;
  yield* storeReviewAnswer(context, before, answer);
  decideApproval(context, { id, owner, status, answer: JSON.stringify(outcome), at });
  return { ...before, status, outcome, answer, answeredAt: at };
}

function outcomeOf(answer: ReviewDecision): ReviewOutcome {
  const reason = answer.decision === "withhold" ? answer.reason : undefined;
  return {
    outcome: reviewOutcomes[answer.decision],
    by: "person",
    ...(reason !== undefined && { reason }),
  };
}
