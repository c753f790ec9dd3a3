import { errorMessage } from "../errors/error-message.ts";
import { isReviewDue, redact, type ReviewDecision, type ReviewRequest } from "../policy/review.ts";
import type { RegisteredTool } from "../tool/registry.ts";
import type { CallRecord } from "./call-record.ts";
import { cutForModel } from "./cut-for-model.ts";
import type { DraftResult } from "./draft-result.ts";
import type { Gate } from "./gate.ts";
import type { Settled } from "./settled.ts";
import { unsettledResult } from "./unsettled-result.ts";

export type AskReview = (request: ReviewRequest) => ReviewDecision | Promise<ReviewDecision>;

export interface ReviewOptions {
  readonly gate: Gate;
  readonly record: CallRecord;
  readonly registered: RegisteredTool;
  readonly draft: DraftResult;
  readonly checkToolResults: boolean;
  readonly ask: AskReview;
}

/** What is to be kept, or a result that was withheld. */
export type Reviewed =
  | { readonly status: "released"; readonly draft: DraftResult }
  | { readonly status: "withheld"; readonly settled: Settled };

/**
 * Stage 10. Where policy says so, a person sees the result before anybody else does. Until then
 * it is kept nowhere, and what is withheld never is. A review that fails withholds.
 */
export function reviewResult(options: ReviewOptions): Reviewed | Promise<Reviewed> {
  const { gate, record, registered, draft, checkToolResults } = options;
  const isError = draft.end.status !== "success";
  const { rules, overrides } = gate;
  const policy = { registered, isError, rules, overrides, checkToolResults };
  if (draft.end.status === "cancelled" || !isReviewDue(policy))
    return { status: "released", draft };
  const request: ReviewRequest = {
    callId: record.callId,
    toolId: registered.id,
    toolName: registered.name,
    args: record.args ?? {},
    isError,
    text: draft.formatted.text,
    shown: draft.cut.text,
  };
  return decide(options, request);
}

async function decide(options: ReviewOptions, request: ReviewRequest): Promise<Reviewed> {
  let decision: ReviewDecision;
  try {
    decision = await options.ask(request);
  } catch (thrown) {
    decision = { decision: "withhold", reason: `the review failed: ${errorMessage(thrown)}` };
  }
  const { gate, record, draft } = options;
  switch (decision.decision) {
    case "release":
      return { status: "released", draft };
    case "redact":
      return released(options, redact(draft.formatted.text, decision.words));
    case "replace":
      return released(options, decision.text);
    case "withhold": {
      const reason = decision.reason?.trim() || "no reason was given";
      const settled = unsettledResult(gate, record, { status: "result_rejected", reason });
      return { status: "withheld", settled };
    }
  }
}

/** Only what was released is kept: not the data behind it, nor its pictures. */
function released({ gate, record, registered, draft }: ReviewOptions, text: string): Reviewed {
  const { end } = draft;
  const isError = end.status !== "success";
  const cut = cutForModel(gate, registered.tool, { whole: text, record, isError });
  const shown = end.status === "success" ? { ...end, data: text } : end;
  const formatted = { status: "formatted", text } as const;
  return { status: "released", draft: { ...draft, end: shown, formatted, cut } };
}
