import type { ApprovalDecision, ReviewDecision } from "@capstan/core";
import {
  type ApprovalRow,
  approvalRecord,
  approvalTables,
  selectApprovals,
} from "../../read/permissions/read-approvals.ts";
import { readable } from "../../read/page.ts";
import type { ReadyRun } from "../../records/claimed-run.ts";
import type { ApprovalRecord } from "../../records/records.ts";
import { all, first, type Script } from "../../sql/script.ts";
import { statement } from "../../sql/statement.ts";
import type { StoreWrite } from "../../records/store-writes.ts";
import type { OutcomeOf } from "../../records/write-outcomes.ts";
import { resumeOnAnswer } from "../runs/suspend-resume.ts";
import { decideApproval } from "../runs/decide-approval.ts";
import { answerReview } from "./write-reviews.ts";
import { deleteEndedGrants } from "./write-grants.ts";
import { noteApproval } from "../state/note-run.ts";
import type { WriteContext } from "../state/write-context.ts";

type AnswerApproval = Extract<StoreWrite, { type: "answer-approval" }>;
type ExpireApprovals = Extract<StoreWrite, { type: "expire-approvals" }>;

/**
 * Stores an answer; the first one wins. An answer after the stored deadline is valid until the
 * request is marked as expired, because the clock can have been changed.
 */
export function* answerApproval(
  context: WriteContext,
  write: AnswerApproval,
  at: number,
): Script<OutcomeOf<AnswerApproval>> {
  const found = yield* find(write);
  if (found === undefined) return { status: "not_found" };
  const { before, result } = found;
  if (before.status !== "pending") return { status: "already_answered", approval: before };
  const { answer } = write;
  noteApproval(context, runOf(before), { type: "approval.answered", approval: write.id });
  const given = { at, approval: { id: write.id, result }, claims: write.claims };
  if (before.kind === "result") {
    if (!isReview(answer)) return wrongKind("is a review of a result");
    const approval = yield* answerReview(context, before, answer, at);
    return {
      status: "answered",
      approval,
      ...(yield* resumeOnAnswer(context, before.runId, given)),
    };
  }
  if (isReview(answer)) return wrongKind("is for a call");
  const status = answer.decision === "allow" ? "allowed" : "refused";
  decideApproval(context, {
    id: write.id,
    owner: write.owner,
    status,
    answer: JSON.stringify(answer),
    at,
  });
  const approval = { ...before, status, answer, answeredAt: at } as const;
  return {
    status: "answered",
    approval,
    ...(yield* resumeOnAnswer(context, before.runId, given)),
  };
}

function runOf({ runId: id, owner, conversationId }: ApprovalRecord) {
  return { id, owner, conversationId };
}

function isReview(answer: ApprovalDecision | ReviewDecision): answer is ReviewDecision {
  return answer.decision !== "allow" && answer.decision !== "refuse";
}

function wrongKind(asks: string): OutcomeOf<AnswerApproval> {
  return { status: "refused", reason: `This approval ${asks}: the answer has the wrong type.` };
}

/** The maximum number of requests that one write expires. */
export const maxExpired = 1_000;

const lockExpired = statement<ApprovalRow>(
  approvalTables,
  (dialect) =>
    `${selectApprovals(dialect)} WHERE a.status = 'pending' AND a.expires_at <= ? ORDER BY a.expires_at LIMIT ${maxExpired}${dialect.lock("a")}`,
);

const lockGiven = statement<ApprovalRow>(
  approvalTables,
  (dialect) =>
    `${selectApprovals(dialect)} WHERE a.status = 'pending' AND a.id ${dialect.anyOf} ORDER BY a.expires_at LIMIT ${maxExpired}${dialect.lock("a")}`,
);

/** Expires approval requests whose time is up, and deletes expired grants. */
export function* expireApprovals(
  context: WriteContext,
  { ids }: ExpireApprovals,
  at: number,
): Script<OutcomeOf<ExpireApprovals>> {
  const { changes, runs } = context;
  deleteEndedGrants(context, at);
  const rows = ids === undefined ? yield* all(lockExpired, at) : yield* all(lockGiven, [...ids]);
  // If this batch has not locked a request's run, the next batch expires the request.
  const due = rows.filter((row) => runs.get(row.run_id) !== undefined);
  for (const { id, run_id: runId } of due) {
    changes.update("approvals", { id }, { status: "expired", answered_at: at });
    const run = runs.get(runId);
    if (run !== undefined) noteApproval(context, run, { type: "approval.answered", approval: id });
  }
  // A corrupt request also expires, so that it does not block others; its run then reports that it
  // cannot be read.
  const approvals = due
    .map((row) => readable({ ...row, status: "expired", answered_at: at }, approvalRecord))
    .filter((approval) => approval !== undefined);
  const queued: ReadyRun[] = [];
  for (const runId of new Set(due.map((row) => row.run_id))) {
    const { ready } = yield* resumeOnAnswer(context, runId, { at });
    if (ready !== undefined) queued.push(ready);
  }
  return { status: "expired", approvals, ready: queued };
}

const lockWithResult = statement<ApprovalRow & { readonly result: string | null }>(
  { reads: [...approvalTables.reads, "run_results"] },
  (dialect) =>
    `SELECT q.*, (SELECT s.result FROM run_results s JOIN runs r ON r.n = s.run_n WHERE r.id = q.run_id) AS result
     FROM (${selectApprovals(dialect)} WHERE a.id = ? AND a.owner = ?${dialect.lock("a")}) q`,
);

/** Returns an approval request with its run's result, which says what the run waits for. */
function* find({
  owner,
  id,
  runId,
}: AnswerApproval): Script<
  { readonly before: ApprovalRecord; readonly result: string | null } | undefined
> {
  const row = yield* first(lockWithResult, id, owner);
  // If the request belongs to another run, the batch has not locked that run.
  if (row === undefined || row.run_id !== (runId ?? row.run_id)) return undefined;
  return { before: approvalRecord(row), result: row.result };
}
