import type { ToolExecuteResult } from "../record/tool-execute-result.ts";
import type { Settling } from "./settle.ts";

/** A call as its caller gets it. */
export function executeResultOf(settling: Settling): ToolExecuteResult {
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
