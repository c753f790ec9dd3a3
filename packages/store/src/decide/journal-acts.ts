import type { JournalAct, QuestionEvent } from "../encode/encoded-journal.ts";
import { addAnswerable } from "./questions/answerable-calls.ts";
import { askApproval } from "./questions/ask-approval.ts";
import { cancelApproval } from "./runs/decide-approval.ts";
import { intoQuarantine, wipe } from "./questions/quarantine.ts";
import type { RunState } from "./state/run-states.ts";
import { forgetOutput } from "./questions/submit-outputs.ts";
import { answerFromEvent } from "./questions/write-approvals.ts";
import { answerFromReview } from "./questions/write-reviews.ts";
import type { WriteContext } from "./state/write-context.ts";

/** Does what a journal asks for beside its own rows, in its order. */
export function doActs(context: WriteContext, run: RunState, acts: string, at: number): void {
  for (const act of JSON.parse(acts) as readonly JournalAct[]) doAct(context, run, act, at);
}

function doAct(context: WriteContext, run: RunState, act: JournalAct, at: number): void {
  switch (act.type) {
    case "question":
      return followQuestion(context, run, act.event);
    case "quarantine":
      return intoQuarantine(context, run, act);
    case "answerable":
      return addAnswerable(context, run, act);
    case "settled":
      if (act.client !== undefined) forgetOutput(context, run.n, act.client);
      if (act.approval !== undefined) cancelApproval(context, run.n, act.approval, at);
      if (act.review !== undefined) wipe(context, act.review);
  }
}

function followQuestion(context: WriteContext, run: RunState, event: QuestionEvent): void {
  switch (event.type) {
    case "approval.requested":
      return askApproval(context, run, { kind: "execution", request: event.approval });
    case "approval.answered":
      return answerFromEvent(context, run, event);
    case "review.requested":
      return askApproval(context, run, { kind: "result", request: event.review });
    case "review.answered":
      return answerFromReview(context, run, event);
  }
}
