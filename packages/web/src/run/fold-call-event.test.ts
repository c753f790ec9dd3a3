import assert from "node:assert/strict";
import { test } from "node:test";
import { pendingApprovals } from "./run-totals.ts";
import { foldCallEvent } from "./fold-call-event.ts";
import type { ReviewNotice } from "./run-event.ts";
import { initialRunState } from "./run-state.ts";

const review: ReviewNotice = {
  id: "r1",
  callId: "c1",
  toolId: "files.ViewFile",
  toolName: "ViewFile",
  groupTitle: "Files",
  isError: false,
  reason: "Files are private.",
  createdAt: 1,
  expiresAt: 2,
};

test("a result in review waits for a user, and an answer from any client removes its card", () => {
  const asked = foldCallEvent(initialRunState, {
    seq: 1,
    type: "review.requested",
    callId: "c1",
    review,
  });
  assert.deepEqual(
    pendingApprovals(asked).map(({ name, review: shown }) => [name, shown?.id]),
    [["ViewFile", "r1"]],
  );
  const answered = foldCallEvent(asked, {
    seq: 2,
    type: "review.answered",
    callId: "c1",
    reviewId: "r1",
    at: 5,
    outcome: "withheld",
    by: "person",
    reason: "private",
  });
  assert.deepEqual(pendingApprovals(answered), []);
  assert.deepEqual(answered.calls["c1"]?.reviewed, {
    outcome: "withheld",
    by: "person",
    reason: "private",
  });
});
