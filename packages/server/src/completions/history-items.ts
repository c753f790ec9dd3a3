import type { Message } from "@capstan/core";
import type { HistoryItem } from "../runs/history/history-item.ts";

/**
 * Returns messages in the form in which histories are merged. `at` is the position of the message,
 * so the items of one assistant message share it.
 */
export function historyItems(messages: readonly Message[]): readonly HistoryItem<Message>[] {
  return messages.flatMap((message, at): HistoryItem<Message>[] => {
    const common = { source: message, at };
    if (message.role === "tool") {
      const { tool_call_id: callId, content: text, parts } = message;
      const output = { callId, text, ...(parts !== undefined && { parts }) };
      return [{ ...common, type: "output", output }];
    }
    if (message.role !== "assistant") return [{ ...common, type: "message", message }];
    const { content, reasoning = [], tool_calls: calls = [] } = message;
    return [
      ...reasoning.map((part) => ({ ...common, type: "reasoning" as const, part })),
      ...(content !== "" || calls.length === 0
        ? [
            {
              ...common,
              type: "message" as const,
              message: { role: "assistant" as const, content },
            },
          ]
        : []),
      ...calls.map((call) => ({ ...common, type: "call" as const, call })),
    ];
  });
}
