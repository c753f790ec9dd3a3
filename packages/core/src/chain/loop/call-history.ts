import type { CallRecord } from "../../call/record/call-record.ts";
import { resultStatusOf } from "../../call/record/call-status.ts";
import type { SettledToolResult } from "../../tool/tool-result.ts";
import type { Usage } from "../../model/usage.ts";
import type { ToolCallHistoryEntry } from "../options/tool-chain-result.ts";

/** What a program is told of one call of the turn. */
export function historyEntry(
  call: CallRecord,
  results: ReadonlyMap<string, SettledToolResult>,
  usageByRound: ReadonlyMap<number, Usage>,
): ToolCallHistoryEntry {
  const result = results.get(call.callId) ?? resultFromRecord(call);
  // The step that read the results is the next one.
  const llmUsage = usageByRound.get(call.round + 1);
  return {
    callId: call.callId,
    toolName: call.name,
    args: call.args ?? {},
    status: resultStatusOf[call.status],
    startTime: call.startedAt ?? call.proposedAt,
    endTime: call.endedAt ?? call.proposedAt,
    roundIndex: call.round,
    ...(result !== undefined && { result }),
    ...(llmUsage !== undefined && { llmUsage }),
    ...(call.status === "result_rejected" && {
      resultRejected: true,
      resultRejectReason: call.result?.rejectReason ?? "",
    }),
  };
}

/** A call's result from its row, which keeps what the model read. */
function resultFromRecord({
  callId,
  toolId,
  status: state,
  result: kept,
}: CallRecord): SettledToolResult | undefined {
  const status = resultStatusOf[state];
  if (kept === undefined || status === "pending") return undefined;
  const { finalText, isTruncated, tokens, durationMs } = kept;
  const { cacheVarResult, cacheVarArgs, parts } = kept;
  const common = {
    callId,
    ...(toolId !== undefined && { toolId }),
    finalText,
    isTruncated,
    tokens,
    durationMs,
    ...(cacheVarResult !== undefined && { cacheVarResult }),
    ...(cacheVarArgs !== undefined && { cacheVarArgs }),
    ...(parts !== undefined && { parts }),
  };
  const error = kept.error ?? { code: status, message: finalText };
  switch (status) {
    case "success":
      return { ...common, status, data: finalText };
    case "execution_rejected":
    case "result_rejected":
      return { ...common, status, error, rejectReason: kept.rejectReason ?? "" };
    default:
      return { ...common, status, error };
  }
}
