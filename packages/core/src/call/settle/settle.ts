import { reviewReason } from "../../policy/decide.ts";
import type { RegisteredTool } from "../../tool/registry.ts";
import type { CallRecord } from "../record/call-record.ts";
import type { Gate } from "../gate/gate.ts";
import { keepResult } from "./keep-result.ts";
import type {
  ToolOutcome,
  DraftOutcome,
  Formatted,
  FormattedText,
  DraftResult,
  SettleOutcome,
} from "../record/call-outcome.ts";
import { checkAnnotations } from "../../model/annotation.ts";
import { beginReview } from "./review-result.ts";
import { errorText } from "../record/call-status.ts";
import { formatResult, resultSchemaError, truncateForModel } from "./format-result.ts";
import type { ToolErrorData } from "../../base/errors.ts";

/** The options of `settle`. */
export interface SettleOptions {
  readonly gate: Gate;
  readonly record: CallRecord;
  readonly registered: RegisteredTool;
  readonly outcome: ToolOutcome;
  /** The output of a final tool, which is its result. */
  readonly finalText?: string | undefined;
  /** False overrides the tool's own request for a review, never a rule. @default true */
  readonly checkToolResults?: boolean | undefined;
}

/**
 * The third segment, stages 8 to 12: turns a tool's outcome into the text for the model. If a user
 * must review the result, it stops at stage 10, and `settleReviewed` continues from the record.
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

/** The result of a final tool is its output, together with its data if there is any. */
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

/** Stages 8 and 9: turns a tool's outcome into its full and its truncated text. */
export function draftResult(
  gate: Gate,
  record: CallRecord,
  registered: RegisteredTool,
  outcome: ToolOutcome,
): DraftResult {
  const { formatted, end } = format(gate, record, registered, outcome);
  const isError = end.status !== "success";
  const cut = truncateForModel(gate, registered.tool, { whole: formatted.text, record, isError });
  return { end, formatted, cut, durationMs: outcome.durationMs };
}

function format(
  gate: Gate,
  record: CallRecord,
  { tool, name }: RegisteredTool,
  outcome: ToolOutcome,
): { readonly formatted: FormattedText; readonly end: DraftOutcome } {
  switch (outcome.status) {
    case "returned": {
      const { text, annotations } = outcome;
      const plain = formatResult(tool, outcome.value, record.args ?? {}, gate);
      const formatted = withSources(withWritten(plain, text), annotations);
      if (formatted.status === "formatted") {
        const error = resultSchemaError(tool, formatted);
        if (error === undefined)
          return { formatted, end: { status: "success", data: outcome.value } };
        // The tool ran, so its returned value is still useful to the model.
        const text = `${errorText(error)}\n\nIt returned:\n${formatted.text}`;
        return { formatted: { ...formatted, text }, end: { status: "error", error } };
      }
      const message = `${name} ran, but its result cannot be used. ${formatted.message}`;
      return failed("error", { code: "unusable_result", message });
    }
    case "failed":
      return failed("error", outcome.error);
    case "timed_out": {
      const message = `${name} was stopped after ${outcome.timeoutMs / 1000} s. It may have acted.${stillRunningText(outcome)} Ask for less at a time, or continue without it.`;
      const error = { code: "timed_out", message, retryable: true, ...writtenBefore(outcome) };
      return failed("timed_out", error);
    }
    case "cancelled": {
      const message = `${name} was stopped: ${outcome.reason}. It had begun and may have acted.${stillRunningText(outcome)}`;
      return failed("cancelled", { code: "cancelled", message, ...writtenBefore(outcome) });
    }
  }
}

function withWritten(plain: Formatted, text: string | undefined): Formatted {
  if (plain.status === "failed" || text === undefined) return plain;
  return { ...plain, text, ...(plain.parts !== undefined && { written: text }) };
}

function withSources(plain: Formatted, given: unknown): Formatted {
  if (plain.status === "failed" || given === undefined) return plain;
  const checked = checkAnnotations(given);
  if (checked.status === "invalid")
    return { status: "failed", message: `The returned value is unusable: ${checked.message}.` };
  const { annotations } = checked;
  return annotations.length === 0 ? plain : { ...plain, annotations };
}

function writtenBefore({ output }: { readonly output?: string }): Pick<ToolErrorData, "details"> {
  return output === undefined ? {} : { details: { output } };
}

function stillRunningText({ leftBehind }: { readonly leftBehind?: true }): string {
  return leftBehind === true ? " It ignored the stop and may still be running." : "";
}

function failed(status: "error" | "timed_out" | "cancelled", error: ToolErrorData) {
  const formatted: FormattedText = { status: "formatted", text: errorText(error) };
  return { formatted, end: { status, error } };
}
