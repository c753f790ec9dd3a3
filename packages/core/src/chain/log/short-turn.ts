import type { CallRecord } from "../../executor/call-record.ts";
import type { Message } from "../../model/message.ts";

/** Characters, about a thousand tokens. */
const shortTurnChars = 4_000;

/**
 * Whether an answered turn is cheaper shown as it was than as its log: what was called in it, with
 * what and what came of it, is so short that the log would save less than one look-up of what it
 * leaves out costs, and the provider has these very bytes in its cache. It depends on the turn
 * alone, so that it is shown in the same way each time.
 */
export function isShortTurn(messages: readonly Message[], calls: Iterable<CallRecord>): boolean {
  const last = messages.at(-1);
  if (last?.role !== "assistant" || last.content === "" || last.tool_calls?.length) return false;
  let chars = 0;
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const { text } of message.reasoning ?? []) chars += text.length;
    for (const { function: called } of message.tool_calls ?? []) chars += called.arguments.length;
  }
  for (const { parentCallId, result } of calls) {
    if (parentCallId !== undefined || result === undefined) continue;
    // Pictures and files cost what no count of characters says.
    if (result.parts?.some(({ type }) => type === "image" || type === "file")) return false;
    chars += result.finalText.length;
  }
  return chars <= shortTurnChars;
}
