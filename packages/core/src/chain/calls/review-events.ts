import type { CallRecord } from "../../call/record/call-record.ts";
import type { JournalWrite } from "../journal/journal.ts";

/** That a result waits for a person, and nothing of the result. */
export function reviewRequested({ callId, review }: CallRecord): readonly JournalWrite[] {
  return review === undefined
    ? []
    : [{ type: "event", event: { type: "review.requested", callId, review } }];
}

/** What was done with a call's result, where a person had to see it first. */
export function reviewAnswered({
  callId,
  review,
  reviewed,
  endedAt: at = 0,
}: CallRecord): readonly JournalWrite[] {
  if (review === undefined || reviewed === undefined) return [];
  const { id: reviewId } = review;
  return [{ type: "event", event: { type: "review.answered", callId, reviewId, at, ...reviewed } }];
}
