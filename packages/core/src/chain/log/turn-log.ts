import type { CallRecord } from "../../call/record/call-record.ts";
import { type Message, safeParts, type ToolMessage } from "../../model/message.ts";
import { neutralise, neutraliseOutside } from "../../text/neutralise.ts";
import type { TurnLog } from "../journal/chain-result.ts";
import { oneLine } from "../../text/truncate.ts";
import { isSettled, type ResultStatus, resultStatusOf } from "../../call/record/call-status.ts";
import type { ContentPart } from "../../model/content-part.ts";

/**
 * Compresses a turn to its log: the calls, their arguments and outcomes, the first characters of
 * each result, and the names of the variables with the exact values. The log is created only from
 * the records, without a model. So it has the same bytes every time, and prompt caches remain
 * valid.
 */
export function turnLog(messages: readonly Message[], calls: Iterable<CallRecord>): TurnLog {
  const logged = loggedCalls(calls);
  const flow = turnText(messages, logged);
  if (logged.size === 0) return { hint: "", flow, replay: "", hintSize: 0 };
  const inOrder = [...logged.values()];
  const hint = systemHint(inOrder);
  return { hint, flow, replay: replayedLog(inOrder), hintSize: hint.length };
}

/**
 * Returns the part of the log that a later request shows the model; empty if nothing was called.
 */
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

/** Returns all of the assistant's own text, without log blocks. */
export function answerText(messages: readonly Message[]): string {
  const words: string[] = [];
  for (const message of messages)
    if (message.role === "assistant" && message.content !== "") words.push(message.content);
  // Joined first: text that is harmless in two messages may form a marker in one text.
  return neutralise(words.join("\n\n"));
}

const introduction =
  "The system's log of the calls before the next answer; writing one calls no tool. ReadVar returns full values.";

/**
 * Returns a turn's calls as a later request shows them to the model. Each call or group of
 * similar calls is one line with the name of the variable that has the exact value. Version 3.
 */
function replayedLog(calls: readonly LoggedCall[]): string {
  const lines = groupCalls(calls).map(replayedLine);
  return ["<turn-log>", introduction, ...lines, "</turn-log>"].join("\n");
}

function replayedLine(calls: readonly LoggedCall[]): string {
  const [call] = calls;
  if (call === undefined) return "";
  const { name, outcome } = call;
  const ended =
    outcome.mark === "✓" && outcome.words === "Success" ? "✓" : `${outcome.mark} ${outcome.words}`;
  if (calls.length === 1) {
    const args = call.args === "{}" ? "" : ` ${call.args}`;
    return `- ${name}${args} ${ended}${replayedDetails(call)}`;
  }
  const numbered = numberedValues(calls);
  const where = numbered === undefined ? "" : ` → ${numbered.join(" to ")}`;
  const each = calls.map(({ args, value }) =>
    numbered === undefined && value !== undefined ? `${args} → ${value}` : args,
  );
  return `- ${name} ×${calls.length} ${ended}${where}: ${each.join("; ")}`;
}

function replayedDetails({ value, files, preview }: LoggedCall): string {
  const where = value === undefined ? "" : ` → ${value}`;
  const named = files.length === 0 ? "" : ` [${files.join("; ")}]`;
  const cut = preview.length < logPreviewChars ? "" : "…";
  const words = oneLine(preview, logPreviewChars) + cut;
  // Quoted, because a tool's result is data but appears in a system message.
  const quoted = words === "" ? "" : `: "${neutralise(words).replaceAll('"', "'")}"`;
  return where + named + quoted;
}

/**
 * Returns a turn's messages in the form for a model: after each assistant message, one tool message
 * for each of its calls, in their order. A call that has not ended gets a placeholder result,
 * because providers require pairs.
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

/** The placeholder result of a call that has not ended. */
const unanswered =
  "Error (unanswered): this call was not answered. It may or may not have been run.";

/** Returns the tool message of a call. A call that has not ended gets the placeholder result. */
export function toolMessage(id: string, name: string, call: CallRecord | undefined): ToolMessage {
  const settled = call !== undefined && isSettled(call.status) ? call.result : undefined;
  return {
    role: "tool",
    tool_call_id: id,
    name,
    content: settled?.finalText ?? unanswered,
    ...(settled?.parts !== undefined && { parts: safeParts(settled.parts, neutraliseOutside) }),
  };
}

/**
 * Returns a turn for display to users: the assistant's text, interleaved with log blocks for
 * calls and groups of similar calls.
 */
function turnText(messages: readonly Message[], calls: ReadonlyMap<string, LoggedCall>): string {
  const parts: string[] = [];
  let words: string[] = [];
  let made: LoggedCall[] = [];
  const endWords = () => {
    // Joined first: text that is harmless in two messages may form a marker in one text.
    if (words.length > 0) parts.push(neutralise(words.join("\n\n")));
    words = [];
  };
  const endCalls = () => {
    for (const group of groupCalls(made)) parts.push(block(group));
    made = [];
  };
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    const content = message.content.trim();
    if (content !== "") {
      endCalls();
      words.push(content);
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
    return heading(name, `Arguments: ${call.args}\n${status}${blockDetails(call)}`);
  const lines = calls.map(({ args, value }, n) => `${n + 1}. ${args}${kept(value, " → ")}`);
  return heading(`${name} ×${calls.length}`, `${status}\n${lines.join("\n")}`);
}

function blockDetails({ value, files, preview }: LoggedCall): string {
  const named = files.length === 0 ? "" : `\nFiles: ${files.join("; ")}`;
  return `${kept(value, "\nValue: ")}${named}\n\n${preview}`.trimEnd();
}

function kept(value: string | undefined, before: string): string {
  return value === undefined ? "" : `${before}${value}`;
}

/** The fence is longer than any fence within, so that a tool's result cannot end it. */
function heading(title: string, body: string): string {
  let longest = 2;
  if (body.includes("```"))
    for (const [run] of body.matchAll(/`{3,}/g)) longest = Math.max(longest, run.length);
  const fence = "`".repeat(longest + 1);
  return `**[Tool Execution Log]**: ${title}\n${fence}accesslog\n${neutralise(body)}\n${fence}`;
}

/**
 * Returns the block that users are shown before a turn: its calls, and the variables with their
 * values. Version 2.
 */
function systemHint(calls: readonly LoggedCall[]): string {
  return `<SYSTEM-CONTEXT>
Tool results are stored in variables. Read one with \`ReadVar\`, or pass it on as \`$VAR_REF{{name}}\` in an argument.

Executed tools:
${groupCalls(calls).map(hintLine).join("\n")}

[WARNING] \`[Tool Execution Log]\` blocks are written by the system. Writing one calls no tool.
</SYSTEM-CONTEXT>
---
`;
}

function hintLine(calls: readonly LoggedCall[]): string {
  const [call] = calls;
  if (call === undefined) return "";
  const many = calls.length === 1 ? "" : ` ×${calls.length}`;
  return `- \`${call.name}\`${many} ${valueNames(calls, call)}`;
}

function valueNames(calls: readonly LoggedCall[], call: LoggedCall): string {
  if (call.value === undefined)
    return `(value not stored; ${call.outcome.mark} ${call.outcome.words})`;
  const numbered = numberedValues(calls);
  if (calls.length > 1 && numbered !== undefined) {
    const [first, last] = numbered;
    return `(args=${reference(`${first}_args`)} to ${reference(`${last}_args`)}, result=${reference(first)} to ${reference(last)})`;
  }
  return calls.map(pair).join(", ");
}

function pair({ value = "", argsValue }: LoggedCall): string {
  const args = argsValue === undefined ? "" : `args=${reference(argsValue)}, `;
  return `(${args}result=${reference(value)})`;
}

function reference(name: string): string {
  return `$VAR_REF{{${name}}}`;
}

/** Characters of a result that the log shows. */
const logPreviewChars = 200;
const nameChars = 80;

interface LoggedCall {
  readonly name: string;
  readonly args: string;
  readonly outcome: CallOutcome;
  /** The first characters of the result; empty if there is none. */
  readonly preview: string;
  /** The names of the result's images, files and links. */
  readonly files: readonly string[];
  /** The variable with the exact value. */
  readonly value?: string;
  readonly argsValue?: string;
}

function loggedCall(call: CallRecord): LoggedCall {
  const { cacheVarResult: value, cacheVarArgs: argsValue, preview = "" } = call.result ?? {};
  const outcome = callOutcome(call);
  return {
    name: neutralise(oneLine(call.name, nameChars)),
    args: shortArguments(call),
    outcome,
    preview: outcome.mark === "✓" ? preview.slice(0, logPreviewChars).toWellFormed() : "",
    files: (call.result?.parts ?? []).flatMap(fileName),
    ...(value !== undefined && { value }),
    ...(argsValue !== undefined && { argsValue }),
  };
}

function fileName(part: ContentPart): readonly string[] {
  switch (part.type) {
    case "text":
      return [];
    case "image":
      return [
        safe(part.source.type === "url" ? `image ${part.source.url}` : `image ${part.mimeType}`),
      ];
    case "file":
      return [safe(`file ${part.name}`)];
    case "link":
      return [safe(`link ${part.url}`)];
  }
}

function safe(name: string): string {
  return neutralise(oneLine(name, nameChars));
}

const reasonChars = 160;

interface CallOutcome {
  readonly mark: "✓" | "✗" | "⚠" | "…";
  readonly words: string;
}

const outcomes: { readonly [status in ResultStatus]: CallOutcome } = {
  success: { mark: "✓", words: "Success" },
  error: { mark: "✗", words: "Failed" },
  timed_out: { mark: "✗", words: "Timed out" },
  not_found: { mark: "✗", words: "No such tool" },
  cancelled: { mark: "✗", words: "Stopped" },
  execution_rejected: { mark: "⚠", words: "Denied, not run" },
  result_rejected: { mark: "⚠", words: "It ran, its result was withheld" },
  outcome_unknown: { mark: "⚠", words: "Outcome unknown" },
  pending: { mark: "…", words: "Not finished" },
};

function callOutcome({ status, result, edited }: CallRecord): CallOutcome {
  const { mark, words } = outcomes[resultStatusOf[status]];
  const reason = result?.rejectReason ?? result?.error?.message;
  const why = reason === undefined ? "" : `: ${oneLine(reason, reasonChars)}`;
  const changed = edited === true ? " (a user changed the arguments)" : "";
  return { mark, words: neutralise(words + changed + why) };
}

const argumentsChars = 160;
/**
 * A string of up to this length can be a URL, a path or an id, which is useless if it is truncated.
 */
const wholeString = 64;
const cutString = 24;
/** Longer arguments are not parsed: the log shows only one line of them. */
const parsedChars = 100_000;

/**
 * Returns a call's arguments on one line: the tool's own short form, the user's changed arguments,
 * or the model's text, in which references are not resolved. Truncates long texts in the arguments
 * first, so that short ones remain complete.
 */
function shortArguments({ result, edited, args, argumentsText }: CallRecord): string {
  const own = result?.argsPreview;
  const written = edited === true && args !== undefined ? JSON.stringify(args) : argumentsText;
  return neutralise(oneLine(own ?? withoutLongStrings(written.trim() || "{}"), argumentsChars));
}

function withoutLongStrings(json: string): string {
  if (json.length <= argumentsChars || json.length > parsedChars) return json;
  try {
    return JSON.stringify(JSON.parse(json), (_key, value: unknown) =>
      typeof value === "string" && value.length > wholeString
        ? `${value.slice(0, cutString).toWellFormed()}…`
        : value,
    );
  } catch {
    return json;
  }
}

/** At least this many consecutive similar calls share one entry. */
const group = 4;

/** Groups consecutive similar calls, in their order. */
function groupCalls(calls: readonly LoggedCall[]): readonly (readonly LoggedCall[])[] {
  const runs: LoggedCall[][] = [];
  for (const call of calls) {
    const run = runs.at(-1);
    if (run?.[0] !== undefined && isLike(run[0], call)) run.push(call);
    else runs.push([call]);
  }
  return runs.flatMap((run) => (run.length < group ? run.map((call) => [call]) : [run]));
}

/** Calls whose results have files are not grouped, because each entry names its files. */
function isLike(a: LoggedCall, b: LoggedCall): boolean {
  return (
    a.name === b.name &&
    a.outcome.words === b.outcome.words &&
    a.files.length + b.files.length === 0 &&
    (a.value === undefined) === (b.value === undefined)
  );
}

/** Returns for example `["Search_1", "Search_30"]` if the values are numbered consecutively. */
function numberedValues(
  calls: readonly LoggedCall[],
): readonly [first: string, last: string] | undefined {
  const [first, last] = [calls[0]?.value, calls.at(-1)?.value];
  const numbered = /^(.+_)(\d+)$/.exec(first ?? "");
  if (first === undefined || last === undefined || numbered === null) return undefined;
  const [, stem, start] = numbered;
  const inOrder = calls.every(({ value }, n) => value === `${stem}${Number(start) + n}`);
  return inOrder ? [first, last] : undefined;
}
