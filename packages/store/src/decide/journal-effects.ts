import type { JournalEffect, ApprovalEvent } from "../encode/encoded-journal.ts";
import { addAnswerable } from "./calls/answerable-calls.ts";
import { insertApproval } from "./permissions/insert-approval.ts";
import { cancelApproval } from "./runs/decide-approval.ts";
import { quarantineResult, wipeQuarantine } from "./permissions/quarantine.ts";
import type { RunState } from "./state/run-states.ts";
import { deleteOutput } from "./calls/submit-outputs.ts";
import { recordAnswer } from "./permissions/write-approvals.ts";
import { recordReviewOutcome } from "./permissions/write-reviews.ts";
import type { WriteContext } from "./state/write-context.ts";

/** Applies a journal's changes to approvals, quarantine and answerable calls, in their order. */
export function applyEffects(
  context: WriteContext,
  run: RunState,
  effects: string,
  at: number,
): void {
  for (const effect of JSON.parse(effects) as readonly JournalEffect[])
    applyEffect(context, run, effect, at);
}

function applyEffect(
  context: WriteContext,
  run: RunState,
  effect: JournalEffect,
  at: number,
): void {
  switch (effect.type) {
    case "approval":
      return applyApprovalEvent(context, run, effect.event);
    case "quarantine":
      return quarantineResult(context, run, effect);
    case "answerable":
      return addAnswerable(context, run, effect);
    case "settled":
      if (effect.client !== undefined) deleteOutput(context, run.n, effect.client);
      if (effect.approval !== undefined) cancelApproval(context, run.n, effect.approval, at);
      if (effect.review !== undefined) wipeQuarantine(context, effect.review);
  }
}

function applyApprovalEvent(context: WriteContext, run: RunState, event: ApprovalEvent): void {
  switch (event.type) {
    case "approval.requested":
      return insertApproval(context, run, { kind: "execution", request: event.approval });
    case "approval.answered":
      return recordAnswer(context, run, event);
    case "review.requested":
      return insertApproval(context, run, { kind: "result", request: event.review });
    case "review.answered":
      return recordReviewOutcome(context, run, event);
  }
}
