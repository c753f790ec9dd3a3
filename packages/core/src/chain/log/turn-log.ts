import type { CallRecord } from "../../call/record/call-record.ts";
import type { Message } from "../../model/message.ts";
import { neutralise } from "../../text/neutralise.ts";
import type { TurnLog } from "../journal/chain-result.ts";
import { type LoggedCall, loggedCall } from "./logged-call.ts";
import { turnText } from "./turn-text.ts";
import { replayedLog } from "./replayed-log.ts";
import { systemHint } from "./system-hint.ts";

/**
 * Compresses a turn to its log: what was called, with what, how it ended, the first characters of
 * each result, and the names of the exact values. Made without a model, from the record alone, so
 * it is the same bytes every time and prompt caches hold.
 */
export function turnLog(messages: readonly Message[], calls: Iterable<CallRecord>): TurnLog {
  const logged = loggedCalls(calls);
  const flow = turnText(messages, logged);
  if (logged.size === 0) return { hint: "", flow, replay: "", hintSize: 0 };
  const inOrder = [...logged.values()];
  const hint = systemHint(inOrder);
  return { hint, flow, replay: replayedLog(inOrder), hintSize: hint.length };
}

/** The part that a later request shows the model, alone; empty where nothing was called. */
export function turnReplay(calls: Iterable<CallRecord>): string {
  const logged = loggedCalls(calls);
  return logged.size === 0 ? "" : replayedLog([...logged.values()]);
}

function loggedCalls(calls: Iterable<CallRecord>): Map<string, LoggedCall> {
  const logged = new Map<string, LoggedCall>();
  for (const call of calls) {
    if (call.parentCallId === undefined && call.owner === "server")
      logged.set(call.callId, loggedCall(call));
  }
  return logged;
}

/** The assistant's own words, all of them, without log text. */
export function answerText(messages: readonly Message[]): string {
  const words: string[] = [];
  for (const message of messages)
    if (message.role === "assistant" && message.content !== "") words.push(message.content);
  // Together: what is harmless in two messages may be a mark in one text.
  return neutralise(words.join("\n\n"));
}
