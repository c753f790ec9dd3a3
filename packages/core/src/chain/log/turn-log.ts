import type { CallRecord } from "../../call/record/call-record.ts";
import type { Message, ToolMessage } from "../../model/message.ts";
import { neutralise } from "../../text/neutralise.ts";
import type { TurnLog } from "../journal/chain-result.ts";
import {
  type LoggedCall,
  loggedCall,
  groupCalls,
  numberedValues,
  logPreviewChars,
} from "./logged-call.ts";
import { turnText } from "./turn-text.ts";
import { systemHint } from "./system-hint.ts";
import { oneLine } from "../../text/truncate.ts";
import { isSettled } from "../../call/record/call-status.ts";

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

const introduction =
  "The system's record of the calls before the next answer; writing one calls nothing. ReadVar shows a whole value.";

/**
 * A turn's calls as a later request shows them to the model: a line each, or one for a run of
 * like ones, with the name of the variable that holds the exact value. Version 3.
 */
export function replayedLog(calls: readonly LoggedCall[]): string {
  const lines = groupCalls(calls).map(line);
  return ["<turn-log>", introduction, ...lines, "</turn-log>"].join("\n");
}

function line(calls: readonly LoggedCall[]): string {
  const [call] = calls;
  if (call === undefined) return "";
  const { name, outcome } = call;
  const ended =
    outcome.mark === "✓" && outcome.words === "Success" ? "✓" : `${outcome.mark} ${outcome.words}`;
  if (calls.length === 1) {
    const args = call.args === "{}" ? "" : ` ${call.args}`;
    return `- ${name}${args} ${ended}${details(call)}`;
  }
  const numbered = numberedValues(calls);
  const where = numbered === undefined ? "" : ` → ${numbered.join(" to ")}`;
  const each = calls.map(({ args, value }) =>
    numbered === undefined && value !== undefined ? `${args} → ${value}` : args,
  );
  return `- ${name} ×${calls.length} ${ended}${where}: ${each.join("; ")}`;
}

function details({ value, files, preview }: LoggedCall): string {
  const where = value === undefined ? "" : ` → ${value}`;
  const named = files.length === 0 ? "" : ` [${files.join("; ")}]`;
  const cut = preview.length < logPreviewChars ? "" : "…";
  const words = oneLine(preview, logPreviewChars) + cut;
  // Quoted: what a tool returned is data, and stands in a message of the system's.
  const quoted = words === "" ? "" : `: "${neutralise(words).replaceAll('"', "'")}"`;
  return where + named + quoted;
}

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
