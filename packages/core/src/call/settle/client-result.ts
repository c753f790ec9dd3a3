import { callTokens } from "../gate/call-tokens.ts";
import type { CallRecord } from "../record/call-record.ts";
import type { Gate } from "../gate/gate.ts";
import { previewChars, type SettledCall } from "../record/settled-call.ts";
import { neutralise } from "../../text/neutralise.ts";

/** The end of a client's call, from what the client answered. */
export function clientResult(gate: Gate, call: CallRecord, given: string): SettledCall {
  const finalText = neutralise(given);
  const { toolId, callId } = call;
  const tool = toolId === undefined ? undefined : gate.registry.tool(toolId)?.tool;
  const tokens = callTokens({ gate, record: call, tool, finalText });
  const common = { finalText, isTruncated: false, tokens, durationMs: 0 };
  const record: CallRecord = {
    ...call,
    status: "succeeded",
    endedAt: gate.clock.now(),
    result: { ...common, preview: finalText.slice(0, previewChars) },
  };
  return {
    status: "settled",
    record,
    result: { ...common, callId, status: "success", data: finalText },
  };
}
