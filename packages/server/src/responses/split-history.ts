import type { Message } from "@capstan/core";
import { isFromModel } from "./approval-responses.ts";
import type { InputItem } from "./request/input-item.ts";

export interface SplitHistory {
  /** What was said before, up to the last word of a model or of a tool. */
  readonly before: readonly Message[];
  /** What is new in this turn. */
  readonly turn: readonly Message[];
}

/** Parts what a client sent: one that keeps the history itself sends all of it each time. */
export function splitHistory(messages: readonly Message[]): SplitHistory {
  const start = messages.findLastIndex(({ role }) => role === "assistant" || role === "tool") + 1;
  return { before: messages.slice(0, start), turn: messages.slice(start) };
}

/** The items after the last one that came from a model: all the rest it has gone on after already. */
export function newItems(input: readonly InputItem[]): readonly InputItem[] {
  return input.slice(input.findLastIndex((item) => isFromModel(item) || isQuestion(item)) + 1);
}

function isQuestion({ type }: InputItem): boolean {
  return type === "mcp_approval_request";
}
