import { isSettled } from "../call/record/call-status.ts";
import type { Message } from "../model/message.ts";
import type { ChainEvent } from "../chain/journal/chain-event.ts";
import type { ToolChainResult } from "../chain/options/tool-chain-result.ts";

/**
 * Returns the problems in the record of a chain that has ended for any reason. Empty if there are
 * none.
 */
export function chainProblems(
  events: readonly ChainEvent[],
  result: ToolChainResult,
): readonly string[] {
  return [
    ...eventProblems(events),
    ...messageProblems(result.messages.complete),
    ...result.state.calls
      .filter(({ status }) => !isSettled(status))
      .map(({ callId, status }) => `the call ${callId} did not end: it is ${status}`),
    ...requestedCalls(result.messages.complete)
      .filter((id) => !result.toolCallHistory.some(({ callId }) => callId === id))
      .map((id) => `the call ${id} is not in the history`),
  ];
}

/**
 * Checks that each call is answered once, directly after its message, in the order of the calls,
 * and that no id is repeated.
 */
export function messageProblems(messages: readonly Message[]): readonly string[] {
  const problems: string[] = [];
  const seen = new Set<string>();
  let due: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") {
      if (due.shift() !== message.tool_call_id)
        problems.push(`the answer to ${message.tool_call_id} is in the wrong position`);
      if (message.content === "") problems.push(`${message.tool_call_id} has an empty answer`);
      continue;
    }
    problems.push(...due.map((id) => `${id} is not answered`));
    due = message.role === "assistant" ? (message.tool_calls ?? []).map(({ id }) => id) : [];
    for (const id of due) {
      if (seen.has(id)) problems.push(`the id ${id} is repeated`);
      seen.add(id);
    }
  }
  return [...problems, ...due.map((id) => `${id} is not answered`)];
}

function eventProblems(events: readonly ChainEvent[]): readonly string[] {
  const problems: string[] = [];
  const items = new Set<string>();
  const calls = new Set<string>();
  for (const event of events) {
    if (event.type === "item.start") items.add(event.itemId);
    if (event.type === "item.end" && !items.delete(event.itemId))
      problems.push(`${event.itemId} ended and was not open`);
    if (event.type === "call.proposed") calls.add(event.callId);
    if (event.type === "call.started" && !calls.has(event.callId))
      problems.push(`${event.callId} was started and was not open`);
    if (event.type === "call.settled" && !calls.delete(event.callId))
      problems.push(`${event.callId} was settled and was not open`);
  }
  problems.push(...[...items].map((id) => `the item ${id} was not ended`));
  problems.push(...[...calls].map((id) => `the call ${id} was not settled`));
  const ends = events.filter(({ type }) => type === "chain.ended").length;
  if (ends !== 1) problems.push(`the chain ended ${ends} times`);
  if (events.at(-1)?.type !== "chain.ended") problems.push("an event follows the end");
  return problems;
}

function requestedCalls(messages: readonly Message[]): readonly string[] {
  return messages.flatMap((message) =>
    message.role === "assistant" ? (message.tool_calls ?? []).map(({ id }) => id) : [],
  );
}
