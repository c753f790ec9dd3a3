import type { ChainEvent, ReviewDecision, ReviewNotice, ReviewOutcome } from "@capstan/core";
import type { ApprovalRecord, ResultApproval } from "../records.ts";
import { keepReviewAnswer } from "./quarantine.ts";
import type { RunState } from "./run-states.ts";
import type { Writing } from "./writing.ts";

type Answered = Extract<ChainEvent, { type: "review.answered" }>;

/** A result waits for a person. An approval that is there already keeps its state. */
export function requestReview({ sql }: Writing, run: RunState, notice: ReviewNotice): void {
  sql.run(
    `INSERT INTO approvals (id, owner, run_n, call_id, kind, status, created_at, expires_at, request)
     VALUES (?, ?, ?, ?, 'result', 'pending', ?, ?, ?) ON CONFLICT DO NOTHING`,
    notice.id,
    run.owner,
    run.n,
    notice.callId,
    notice.createdAt,
    notice.expiresAt,
    JSON.stringify(notice),
  );
}

/** What became of it. Most answers came through `answer-approval`, and are kept as they are. */
export function answerFromReview(writing: Writing, run: RunState, event: Answered): void {
  const { outcome, by, reason, reviewId: id, at } = event;
  // The system withholds what is called off.
  const status = by === "person" ? outcome : "cancelled";
  const kept = { outcome, by, ...(reason !== undefined && { reason }) };
  decide(writing, { id, owner: run.owner, status, outcome: kept, at });
}

/** A person's word on a result, to be carried out by its run. */
export function answerReview(
  writing: Writing,
  before: ResultApproval,
  answer: ReviewDecision,
  at: number,
): ApprovalRecord {
  const { id, owner } = before;
  const outcome = outcomeOf(answer);
  const status = outcome.outcome;
  keepReviewAnswer(writing, before, answer);
  decide(writing, { id, owner, status, outcome, at });
  return { ...before, status, outcome, answer, answeredAt: at };
}

const outcomes = {
  release: "released",
  redact: "redacted",
  replace: "replaced",
  withhold: "withheld",
} as const;

function outcomeOf(answer: ReviewDecision): ReviewOutcome {
  const reason = answer.decision === "withhold" ? answer.reason : undefined;
  return {
    outcome: outcomes[answer.decision],
    by: "person",
    ...(reason !== undefined && { reason }),
  };
}

function decide(
  { sql }: Writing,
  given: {
    id: string;
    owner: string;
    status: ResultApproval["status"];
    outcome: ReviewOutcome;
    at: number;
  },
): void {
  sql.run(
    `UPDATE approvals SET status = ?, answer = ?, answered_at = ?
     WHERE id = ? AND owner = ? AND status = 'pending'`,
    given.status,
    JSON.stringify(given.outcome),
    given.at,
    given.id,
    given.owner,
  );
}
