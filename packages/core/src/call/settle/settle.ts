import { reviewReason } from "../../policy/decide.ts";
import type { RegisteredTool } from "../../tool/registry.ts";
import type { CallRecord } from "../record/call-record.ts";
import type { Gate } from "../gate/gate.ts";
import { keepResult } from "./keep-result.ts";
import type { ToolOutcome } from "../record/tool-outcome.ts";
import { beginReview } from "./review-result.ts";
import type { SettleOutcome } from "../record/settled-call.ts";
import { draftResult } from "./draft-result.ts";

export interface SettleOptions {
  readonly gate: Gate;
  readonly record: CallRecord;
  readonly registered: RegisteredTool;
  readonly outcome: ToolOutcome;
  /** What a final tool wrote: the text of its result. */
  readonly finalText?: string | undefined;
  /** False lifts the tool's own wish for a review, never a rule. @default true */
  readonly checkToolResults?: boolean | undefined;
}

/**
 * The third segment, stages 8 to 12: from how a tool ended to what the model reads. Where a person
 * reviews it stops at stage 10, and `settleReviewed` goes on from the record.
 */
export function settle(options: SettleOptions): SettleOutcome {
  const { gate, registered, checkToolResults = true } = options;
  const outcome = withFinalText(options.outcome, options.finalText);
  const record = withRetries(options.record, outcome);
  const draft = draftResult(gate, record, registered, outcome);
  const { end } = draft;
  const { args = {} } = record;
  const { rules } = gate;
  const overrides = gate.overrides();
  const isError = end.status !== "success";
  const reason = reviewReason({ registered, args, isError, rules, overrides, checkToolResults });
  if (reason === undefined || end.status === "cancelled")
    return keepResult(gate, record, registered, draft, outcome.endedAt);
  return { status: "in_review", ...beginReview(gate, { record, registered }, draft, reason) };
}

/** The text that a final tool wrote is its result, beside its data if it has some. */
function withFinalText(outcome: ToolOutcome, text: string | undefined): ToolOutcome {
  if (text === undefined || outcome.status !== "returned") return outcome;
  return { ...outcome, text, value: outcome.value ?? text };
}

function withRetries(record: CallRecord, outcome: ToolOutcome): CallRecord {
  const { retries } = outcome;
  const leftBehind = "leftBehind" in outcome ? outcome.leftBehind : undefined;
  if (retries === undefined && leftBehind === undefined) return record;
  return {
    ...record,
    ...(retries !== undefined && { retries }),
    ...(leftBehind !== undefined && { leftBehind }),
  };
}
