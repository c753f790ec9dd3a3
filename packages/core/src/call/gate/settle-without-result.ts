import { neutraliseOutside } from "../../text/neutralise.ts";
import { truncate } from "../../text/truncate.ts";
import type { ToolErrorData } from "../../base/errors.ts";
import type { CallRecord } from "../record/call-record.ts";
import { callStatusOf, errorText, rejectionText, withheldText } from "../record/call-status.ts";
import type { OutputAnswer } from "./call-host.ts";
import { callTokens, endOf, type Gate } from "./gate.ts";
import { previewChars, type SettledCall } from "../record/call-outcome.ts";
import type { SettledToolResult } from "../../tool/tool-result.ts";

/** The end of a call that has no result to store. */
export type EndWithoutResult =
  | { readonly status: "execution_rejected" | "result_rejected"; readonly reason: string }
  | {
      readonly status: "not_found" | "error" | "cancelled" | "outcome_unknown";
      readonly error: ToolErrorData;
    };

/** Settles a call that never ran, whose outcome is unknown, or whose result was withheld. Stores no variable. */
export function settleWithoutResult(
  gate: Gate,
  record: CallRecord,
  end: EndWithoutResult,
): SettledCall {
  const { error, text } = errorOf(record, end);
  const cut = truncate(text, gate.limits.outputChars);
  const finalText = neutraliseOutside(cut.text).toWellFormed();
  const isTruncated = cut.omitted > 0;
  const { callId, toolId } = record;
  const tool = toolId === undefined ? undefined : gate.registry.tool(toolId)?.tool;
  const tokens = callTokens({
    gate,
    record,
    tool,
    finalText,
    ...(isTruncated && { whole: text }),
  });
  const reason = "reason" in end ? { rejectReason: end.reason } : {};
  const common = {
    callId,
    ...(toolId !== undefined && { toolId }),
    finalText,
    isTruncated,
    tokens,
    durationMs: 0,
  };
  const preview = finalText.slice(0, previewChars);
  const kept = { finalText, isTruncated, tokens, durationMs: 0, preview, error, ...reason };
  const result: SettledToolResult =
    "reason" in end
      ? { ...common, status: end.status, rejectReason: end.reason, error }
      : { ...common, status: end.status, error };
  const endedAt = endOf(gate, record);
  const ended = { ...record, status: callStatusOf[end.status], endedAt, result: kept };
  return { status: "settled", record: ended, result };
}

function errorOf(
  record: CallRecord,
  end: EndWithoutResult,
): { error: ToolErrorData; text: string } {
  if ("error" in end) {
    // The gate's messages already contain these details; the separate field is for programs.
    const { details: _same, ...shownError } = end.error;
    return { error: end.error, text: errorText(shownError) };
  }
  const refused = end.status === "execution_rejected";
  const text = refused ? rejectionText(record, end.reason) : withheldText(end.reason);
  return { error: { code: end.status, message: text }, text };
}

/** Ends a call that a rule, a grant or a user rejected. */
export function rejectCall(gate: Gate, record: CallRecord, reason: string): SettledCall {
  return settleWithoutResult(gate, record, { status: "execution_rejected", reason });
}

/** Ends a call that was stopped before its tool was called. */
export function cancelCall(
  gate: Gate,
  record: CallRecord,
  reason = "the turn was stopped",
): SettledCall {
  const message = `${record.name} was stopped before it began: ${reason}.`;
  const error = { code: "cancelled", message };
  return settleWithoutResult(gate, record, { status: "cancelled", error });
}

/** Ends a call with an error before it runs: its tool or its arguments are not valid. */
export function failCall(
  gate: Gate,
  record: CallRecord,
  status: "not_found" | "error",
  error: ToolErrorData,
): SettledCall {
  return settleWithoutResult(gate, record, { status, error });
}

/** Settles a client's call with the output that the client submitted. */
export function clientResult(
  gate: Gate,
  call: CallRecord,
  { output, parts }: OutputAnswer,
): SettledCall {
  const finalText = neutraliseOutside(output);
  const { toolId, callId } = call;
  const tool = toolId === undefined ? undefined : gate.registry.tool(toolId)?.tool;
  const tokens = callTokens({ gate, record: call, tool, finalText });
  const common = {
    finalText,
    isTruncated: false,
    tokens,
    durationMs: 0,
    ...(parts !== undefined && { parts }),
  };
  const record: CallRecord = {
    ...call,
    status: "succeeded",
    endedAt: endOf(gate, call),
    result: { ...common, preview: finalText.slice(0, previewChars) },
  };
  return {
    status: "settled",
    record,
    result: { ...common, callId, status: "success", data: finalText },
  };
}
