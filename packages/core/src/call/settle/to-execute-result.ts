import type { ToolExecuteResult } from "../record/execute-result.ts";
import type { SettledToolResult } from "../../tool/tool-result.ts";
import type { SettleOutcome } from "../record/settled-call.ts";

/** Returns the result of a sub-call. Its parent waits for a person in its place, so it never stays pending. */
export function toSettledResult(settling: SettleOutcome): SettledToolResult {
  if (settling.status === "settled") return settling.result;
  throw new TypeError(`The sub-call ${settling.record.callId} stayed pending.`);
}

/** Converts the end of a call to the result that its caller gets. */
export function toExecuteResult(settling: SettleOutcome): ToolExecuteResult {
  if (settling.status === "settled") return settling.result;
  const { record, registered, request } = settling;
  const { args: _args, text: _text, shown: _shown, parts: _parts, ...review } = request;
  const { callId } = record;
  return {
    status: "pending",
    waitsFor: "review",
    callId,
    toolId: registered.id,
    review,
    record,
  };
}
