import type { CallRecord, ReviewDecision } from "@capstan/core";
import type { Quarantine, ReviewNotice } from "@capstan/core/host";
import type { Store } from "../live/store.ts";
import { callRecord, commit, createRun, event, owner } from "./store-fixtures.ts";

/** The result of the reviewed tool. */
export const reviewedText = "the password is tulip";

const notice: ReviewNotice = {
  id: "a",
  callId: "c",
  toolId: "files.ViewFile",
  toolName: "ViewFile",
  groupTitle: "Files",
  isError: false,
  reason: "",
  createdAt: 1,
  expiresAt: 10_000,
};

/** Returns a call whose result is in review. */
function inReview(text = reviewedText): CallRecord {
  const quarantine: Quarantine = {
    end: { status: "success" },
    formatted: { status: "formatted", text },
    cut: { text, omitted: 0, rest: { start: text.length, length: 0 } },
    durationMs: 1,
  };
  return callRecord("c", { status: "in_review", review: notice, quarantine });
}

/** Creates a run with a call whose result is in review. */
export async function createRunInReview(store: Store, runId = "r", text?: string): Promise<void> {
  await createRun(store, { id: runId });
  await commit(store, runId, [
    { type: "call", call: inReview(text) },
    event({ type: "review.requested", callId: "c", review: notice }),
  ]);
}

/** The write that settles the reviewed call. */
export const settleReviewed = (more: Partial<CallRecord> = {}) =>
  ({
    type: "call",
    call: callRecord("c", { status: "result_rejected", review: notice, ...more }),
  }) as const;

/** The write that answers the review. */
export const answerReview = (decision: ReviewDecision) =>
  ({ type: "answer-approval", owner, id: "a", answer: decision }) as const;
