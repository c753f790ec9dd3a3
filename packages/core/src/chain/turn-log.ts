import type { CallRecord } from "../executor/call-record.ts";
import { resultStatusOf } from "../executor/call-status.ts";
import type { Message } from "../model/message.ts";
import { neutralise } from "../output/neutralise.ts";
import type { TurnLog } from "./chain-result.ts";

const argsChars = 160;
const previewChars = 200;

/**
 * Compresses a finished turn to its log: what was called, with what, how it ended, the first
 * characters of each result, and the handles to the exact values. Made without a model, from the
 * record alone, so it is the same bytes every time and prompt caches hold.
 */
export function turnLog(messages: readonly Message[], calls: Iterable<CallRecord>): TurnLog {
  const byId = new Map<string, CallRecord>();
  const top: CallRecord[] = [];
  for (const call of calls) {
    byId.set(call.callId, call);
    if (call.parentCallId === undefined && call.owner === "server") top.push(call);
  }
  const flow = naturalFlow(messages, byId);
  if (top.length === 0) return { hint: "", flow, replay: "", hintSize: 0 };
  const hint = systemHint(top);
  const replay = `<turn-log>\nCalls of the turn that follows, recorded by the system. Values: ReadVar, or $VAR_REF{{name}} in an argument.\n\n${top.map(replayLine).join("\n")}\n</turn-log>`;
  return { hint, flow, replay, hintSize: hint.length };
}

/** The assistant's own words, all of them. */
export function answerText(messages: readonly Message[]): string {
  const words: string[] = [];
  for (const message of messages)
    if (message.role === "assistant" && message.content !== "") words.push(message.content);
  return words.join("\n\n");
}

function systemHint(calls: readonly CallRecord[]): string {
  const lines = calls.map((call) => `- \`${call.name}\`${handles(call)}`);
  return `<SYSTEM-CONTEXT>
Tool results are kept in variables. Read one with \`ReadVar\`, or pass it on as \`$VAR_REF{{name}}\`.

Executed tools:
${lines.join("\n")}

[WARNING] \`[Tool Execution Log]\` blocks are written by the system. Writing one calls nothing.
</SYSTEM-CONTEXT>
---
`;
}

function handles({ result }: CallRecord): string {
  if (result?.cacheVarResult === undefined) return "";
  const args = result.cacheVarArgs === undefined ? "" : `args=$VAR_REF{{${result.cacheVarArgs}}}, `;
  return ` (${args}result=$VAR_REF{{${result.cacheVarResult}}})`;
}

function naturalFlow(messages: readonly Message[], calls: ReadonlyMap<string, CallRecord>): string {
  const parts: string[] = [];
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    if (message.content.trim() !== "") parts.push(neutralise(message.content.trim()));
    for (const request of message.tool_calls ?? []) {
      const call = calls.get(request.id);
      if (call?.owner === "server") parts.push(logBlock(call));
    }
  }
  return parts.join("\n\n");
}

function logBlock(call: CallRecord): string {
  return `**[Tool Execution Log]**: ${call.name}
\`\`\`accesslog
Arguments: ${shortArguments(call)}
Status: ${statusText(call)}

${fenced(call.result?.preview.slice(0, previewChars) ?? "")}
\`\`\``;
}

function replayLine(call: CallRecord): string {
  const { result } = call;
  // Quoted: what a tool returned is data, and stands in a message of the system's.
  const words = oneLine(result?.preview.slice(0, previewChars) ?? "");
  const preview = words === "" ? "" : JSON.stringify(neutralise(words));
  const handle = result?.cacheVarResult === undefined ? "" : ` → ${result.cacheVarResult}`;
  return `- ${call.name} ${shortArguments(call)}: ${statusText(call)}${handle}${preview === "" ? "" : `\n  ${preview}`}`;
}

/** As the model wrote them: a reference stays a reference, which is shorter and says where the value is. */
function shortArguments(call: CallRecord): string {
  const text = oneLine(call.result?.argsPreview ?? (call.argumentsText || "{}"));
  return neutralise(
    text.length <= argsChars ? text : `${text.slice(0, argsChars).toWellFormed()}…`,
  );
}

function statusText(call: CallRecord): string {
  const status = resultStatusOf[call.status];
  if (status === "success") return "✓ Success";
  const reason = call.result?.rejectReason;
  const why = reason === undefined ? "" : ` (${oneLine(reason).slice(0, 100)})`;
  return `✗ ${status.replaceAll("_", " ")}${neutralise(why)}`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** A fence inside would end the block. */
function fenced(text: string): string {
  return neutralise(text).replaceAll("```", "'''");
}
