import type { Message } from "../../model/message.ts";
import { neutralise } from "../../text/neutralise.ts";
import { groupCalls, type LoggedCall } from "./logged-call.ts";

/**
 * A turn as people read it: the assistant's words, and between them a log block for each call,
 * or for a run of like ones.
 */
export function turnText(
  messages: readonly Message[],
  calls: ReadonlyMap<string, LoggedCall>,
): string {
  const parts: string[] = [];
  let words: string[] = [];
  let made: LoggedCall[] = [];
  const endWords = () => {
    // Together: what is harmless in two messages may be a mark in one text.
    if (words.length > 0) parts.push(neutralise(words.join("\n\n")));
    words = [];
  };
  const endCalls = () => {
    for (const group of groupCalls(made)) parts.push(block(group));
    made = [];
  };
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    const said = message.content.trim();
    if (said !== "") {
      endCalls();
      words.push(said);
    }
    for (const { id } of message.tool_calls ?? []) {
      const call = calls.get(id);
      if (call === undefined) continue;
      endWords();
      made.push(call);
    }
  }
  endCalls();
  endWords();
  return parts.join("\n\n");
}

function block(calls: readonly LoggedCall[]): string {
  const [call] = calls;
  if (call === undefined) return "";
  const { name, outcome } = call;
  const status = `Status: ${outcome.mark} ${outcome.words}`;
  if (calls.length === 1)
    return heading(name, `Arguments: ${call.args}\n${status}${details(call)}`);
  const lines = calls.map(({ args, value }, n) => `${n + 1}. ${args}${kept(value, " → ")}`);
  return heading(`${name} ×${calls.length}`, `${status}\n${lines.join("\n")}`);
}

function details({ value, files, preview }: LoggedCall): string {
  const named = files.length === 0 ? "" : `\nFiles: ${files.join("; ")}`;
  return `${kept(value, "\nValue: ")}${named}\n\n${preview}`.trimEnd();
}

function kept(value: string | undefined, before: string): string {
  return value === undefined ? "" : `${before}${value}`;
}

/** The fence is longer than any within, so that what a tool returned cannot end it. */
function heading(title: string, body: string): string {
  let longest = 2;
  if (body.includes("```"))
    for (const [run] of body.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `**[Tool Execution Log]**: ${title}\n${fence}accesslog\n${neutralise(body)}\n${fence}`;
}
