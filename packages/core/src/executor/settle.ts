import type { RegisteredTool } from "../tool/registry.ts";
import type { CallRecord } from "./call-record.ts";
import { draftResult } from "./draft-result.ts";
import type { Gate } from "./gate.ts";
import { keepResult } from "./keep-result.ts";
import type { Outcome } from "./outcome.ts";
import { type AskReview, type Reviewed, reviewResult } from "./review-result.ts";
import type { Settled } from "./settled.ts";

export interface SettleOptions {
  readonly gate: Gate;
  readonly record: CallRecord;
  readonly registered: RegisteredTool;
  readonly outcome: Outcome;
  readonly checkToolResults?: boolean;
  readonly ask: AskReview;
}

/**
 * The third segment, stages 8 to 12: from how a tool ended to what the model reads. A promise
 * only where a person reviews.
 */
export function settle(options: SettleOptions): Settled | Promise<Settled> {
  const { gate, record, registered, outcome, ask, checkToolResults = true } = options;
  const draft = draftResult(gate, record, registered, outcome);
  const reviewed = reviewResult({ gate, record, registered, draft, checkToolResults, ask });
  return reviewed instanceof Promise
    ? reviewed.then((result) => finish(options, result))
    : finish(options, reviewed);
}

function finish({ gate, record, registered }: SettleOptions, reviewed: Reviewed): Settled {
  if (reviewed.status === "withheld") return reviewed.settled;
  return keepResult(gate, record, registered, reviewed.draft);
}
