import type { CallRecord } from "../../call/record/call-record.ts";
import { isSettled } from "../../call/record/call-status.ts";
import type { Message, ToolMessage } from "../../model/message.ts";

/**
 * A turn's messages as a model takes them: after each assistant message, one tool message a
 * call, in the order of its calls. Always in pairs: a call without an end is answered as such.
 */
export function turnMessages(
  messages: readonly Message[],
  calls: Iterable<CallRecord>,
): readonly Message[] {
  const byId = new Map<string, CallRecord>();
  for (const call of calls) byId.set(call.callId, call);
  const whole: Message[] = [];
  for (const message of messages) {
    whole.push(message);
    if (message.role !== "assistant") continue;
    for (const { id, function: called } of message.tool_calls ?? [])
      whole.push(toolMessage(id, called.name, byId.get(id)));
  }
  return whole;
}

/** What a model is told of a call that has not ended, where it must be told something. */
const unanswered =
  "Error (unanswered): this call was not answered. It may or may not have been run.";

export function toolMessage(id: string, name: string, call: CallRecord | undefined): ToolMessage {
  const settled = call !== undefined && isSettled(call.status) ? call.result : undefined;
  return {
    role: "tool",
    tool_call_id: id,
    name,
    content: settled?.finalText ?? unanswered,
    ...(settled?.parts !== undefined && { parts: settled.parts }),
  };
}
