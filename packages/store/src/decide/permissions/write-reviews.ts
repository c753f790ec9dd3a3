import type { ChainEvent, ReviewDecision } from "@capstan/core";
import type { ReviewOutcome } from "@capstan/core/host";
import { reviewOutcomes } from "@capstan/core/base";
import type { ApprovalRecord, ResultApproval } from "../../records/records.ts";
import type { Script } from "../../sql/script.ts";
import { decideApproval } from "../runs/decide-approval.ts";
import { storeReviewAnswer } from "./quarantine.ts";
import type { RunState } from "../state/run-states.ts";
import type { WriteContext } from "../state/write-context.ts";

type Answered = Extract<ChainEvent, { type: "review.answered" }>;

/** What became of it. Most answers came through `answer-approval`, and are kept as they are. */
export function recordReviewOutcome(context: WriteContext, run: RunState, event: Answered): void {
  const { outcome, by, reason, reviewId: id, at } = event;
  // The system withholds what is called off.
  const status = by === "person" ? outcome : "cancelled";
  const kept = { outcome, by, ...(reason !== undefined && { reason }) };
  decideApproval(context, { id, owner: run.owner, status, word: kept, at });
}

/** A person's word on a result, to be carried out by its run. */
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
  decideApproval(context, { id, owner, status, word: outcome, at });
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
