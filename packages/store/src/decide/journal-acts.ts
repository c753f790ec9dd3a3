import type { JournalAct, QuestionEvent } from "../encode/encoded-journal.ts";
import { addAnswerable } from "./questions/answerable-calls.ts";
import { askApproval } from "./questions/ask-approval.ts";
import { cancelApproval } from "./runs/decide-approval.ts";
import { intoQuarantine, wipe } from "./questions/quarantine.ts";
import type { RunState } from "./state/run-states.ts";
import { forgetOutput } from "./questions/submit-outputs.ts";
import { answerFromEvent } from "./questions/write-approvals.ts";
import { answerFromReview } from "./questions/write-reviews.ts";
import type { Writing } from "./state/decision.ts";

/** Does what a journal asks for beside its own rows, in its order. */
export function doActs(writing: Writing, run: RunState, acts: string, at: number): void {
  for (const act of JSON.parse(acts) as readonly JournalAct[]) doAct(writing, run, act, at);
}

function doAct(writing: Writing, run: RunState, act: JournalAct, at: number): void {
  switch (act.type) {
    case "question":
      return followQuestion(writing, run, act.event);
    case "quarantine":
      return intoQuarantine(writing, run, act);
    case "answerable":
      return addAnswerable(writing, run, act);
    case "settled":
      if (act.client !== undefined) forgetOutput(writing, run.n, act.client);
      if (act.approval !== undefined) cancelApproval(writing, run.n, act.approval, at);
      if (act.review !== undefined) wipe(writing, act.review);
  }
}

function followQuestion(writing: Writing, run: RunState, event: QuestionEvent): void {
  switch (event.type) {
    case "approval.requested":
      return askApproval(writing, run, { kind: "execution", request: event.approval });
    case "approval.answered":
      return answerFromEvent(writing, run, event);
    case "review.requested":
      return askApproval(writing, run, { kind: "result", request: event.review });
    case "review.answered":
      return answerFromReview(writing, run, event);
  }
}
