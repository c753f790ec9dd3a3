import type { DraftOutcome, ToolOutcome } from "../record/tool-outcome.ts";
import type { FormattedText } from "../record/formatted.ts";
import { formatResult } from "./format-result.ts";
import type { Truncated } from "../../text/truncate.ts";
import type { RegisteredTool } from "../../tool/registry.ts";
import type { ToolErrorData } from "../../base/errors.ts";
import type { CallRecord } from "../record/call-record.ts";
import { truncateForModel } from "./truncate-for-model.ts";
import { errorText } from "../record/error-text.ts";
import { resultSchemaError } from "./result-schema-error.ts";
import type { Gate } from "../gate/gate.ts";

/** A result before anybody saw it: what it says, and what the model would be shown of it. */
export interface DraftResult {
  readonly end: DraftOutcome;
  readonly formatted: FormattedText;
  readonly cut: Truncated;
  readonly durationMs: number;
}

/** Stages 8 and 9: from how a tool ended to text, whole and cut. */
export function draftResult(
  gate: Gate,
  record: CallRecord,
  registered: RegisteredTool,
  outcome: ToolOutcome,
): DraftResult {
  const { formatted, end } = format(record, registered, outcome);
  const isError = end.status !== "success";
  const cut = truncateForModel(gate, registered.tool, { whole: formatted.text, record, isError });
  return { end, formatted, cut, durationMs: outcome.durationMs };
}

function format(
  record: CallRecord,
  { tool, name }: RegisteredTool,
  outcome: ToolOutcome,
): { readonly formatted: FormattedText; readonly end: DraftOutcome } {
  switch (outcome.status) {
    case "returned": {
      const plain = formatResult(tool, outcome.value, record.args ?? {});
      const { text: written } = outcome;
      const formatted =
        plain.status === "failed" || written === undefined ? plain : { ...plain, text: written };
      if (formatted.status === "formatted") {
        const error = resultSchemaError(tool, formatted);
        if (error === undefined)
          return { formatted, end: { status: "success", data: outcome.value } };
        // It ran, and what it gave is worth reading all the same.
        const text = `${errorText(error)}\n\nWhat it returned:\n${formatted.text}`;
        return { formatted: { ...formatted, text }, end: { status: "error", error } };
      }
      const message = `${name} ran, but its result cannot be used. ${formatted.message}`;
      return failed("error", { code: "unusable_result", message });
    }
    case "failed":
      return failed("error", outcome.error);
    case "timed_out": {
      const message = `${name} was stopped after ${outcome.timeoutMs / 1000} s. It may have acted.${stillAtWork(outcome)} Ask for less at a time, or go on without it.`;
      return failed("timed_out", { code: "timed_out", message, retryable: true });
    }
    case "cancelled": {
      const message = `${name} was stopped: ${outcome.reason}. It had begun and may have acted.${stillAtWork(outcome)}`;
      return failed("cancelled", { code: "cancelled", message });
    }
  }
}

function stillAtWork({ leftBehind }: { readonly leftBehind?: true }): string {
  return leftBehind === true ? " It did not heed the stop and may still be at work." : "";
}

function failed(status: "error" | "timed_out" | "cancelled", error: ToolErrorData) {
  const formatted: FormattedText = { status: "formatted", text: errorText(error) };
  return { formatted, end: { status, error } };
}
