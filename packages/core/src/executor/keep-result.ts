import { shortJson } from "../arguments/short-json.ts";
import type { JsonObject } from "../model/json.ts";
import { noResult, valueOf } from "../output/format-result.ts";
import { resultHint } from "../output/hint.ts";
import { detached } from "../output/detached.ts";
import { neutralise } from "../output/neutralise.ts";
import type { RegisteredTool } from "../tool/registry.ts";
import type { Tool } from "../tool/tool.ts";
import type { CallRecord, CallResult } from "./call-record.ts";
import { callStatusOf } from "./call-status.ts";
import { callTokens } from "./call-tokens.ts";
import type { CallEnd, DraftResult } from "./draft-result.ts";
import type { Gate } from "./gate.ts";
import { previewChars, type Settled } from "./settled.ts";

/** Characters of arguments that a person changed that are shown again. */
const editNoteChars = 2_000;

/** Stages 11 and 12: the result becomes a variable, and the model is told its handle. */
export function keepResult(
  gate: Gate,
  record: CallRecord,
  registered: RegisteredTool,
  draft: DraftResult,
): Settled {
  const { tool } = registered;
  const { end, formatted, cut, durationMs } = draft;
  const args: JsonObject = record.args ?? {};
  const whole = formatted.text;
  const endedAt = gate.clock.now();
  const names = keep(gate, record, registered, draft, endedAt);
  const hint =
    tool.variableTool === true ? "" : resultHint({ name: names.cacheVarResult, whole, cut });
  // A lone half of a pair is no text that a provider takes; the variable keeps it as it came.
  const text = neutralise(editNote(record) + cut.text + hint).toWellFormed();

  const isTruncated = cut.omitted > 0;
  // The record outlives the value.
  const finalText = isTruncated ? detached(text) : text;
  const tokens = callTokens({
    gate,
    record,
    tool,
    finalText,
    ...(isTruncated && { whole }),
  });
  const parts = formatted.parts === undefined ? {} : { parts: formatted.parts };
  const result: CallResult = {
    finalText,
    isTruncated,
    tokens,
    durationMs,
    preview: preview(tool, whole, end),
    ...argsPreview(tool, args),
    ...names,
    ...parts,
    ...(end.status !== "success" && { error: end.error }),
  };
  const ended = { status: callStatusOf[end.status], endedAt, result };
  const answer = answerOf(record, draft);
  return {
    record: { ...record, ...ended, ...(answer !== undefined && { answer }) },
    result: {
      callId: record.callId,
      toolId: registered.id,
      finalText,
      tokens,
      durationMs,
      formattedText: whole,
      isTruncated,
      ...names,
      ...parts,
      ...end,
    },
  };
}

/** Whether the results of a tool become variables. */
export function keepsResults(tool: Tool): boolean {
  return tool.variableTool !== true && tool.SKIP_CACHE_RESULT !== true;
}

/** What a final call gives the reader; undefined where it gives none. */
function answerOf({ final }: CallRecord, { end, formatted }: DraftResult): string | undefined {
  if (final !== true || end.status !== "success") return undefined;
  const { text, data } = formatted;
  return data === null && text === noResult ? undefined : text;
}

/** Stage 11. Errors are kept too; a call that was stopped left nothing to keep. */
function keep(
  gate: Gate,
  record: CallRecord,
  { tool, name }: RegisteredTool,
  draft: DraftResult,
  at: number,
) {
  const none: { readonly cacheVarResult?: string; readonly cacheVarArgs?: string } = {};
  if (!keepsResults(tool)) return none;
  if (draft.end.status === "cancelled") return none;
  const about = beginning(record.argumentsText);
  const value = valueOf(draft.formatted);
  const kept = gate.variables.keepResult(name, value, record.args ?? {}, {
    desc: `Result of ${name} ${about}`,
    name: record.keepAs,
    at,
  });
  if (kept.refused !== undefined) return none;
  return { cacheVarResult: kept.result, cacheVarArgs: kept.args };
}

function beginning(text: string): string {
  const start = text.length <= 80 ? text : `${text.slice(0, 80).toWellFormed()}…`;
  return start.includes("\n") ? start.replaceAll("\n", " ") : start;
}

function editNote({ edited, args }: CallRecord): string {
  if (edited !== true) return "";
  return `[A person changed the arguments before it ran; these are in effect: ${shortJson(args, editNoteChars)}]\n\n`;
}

function preview(tool: Tool, whole: string, end: CallEnd): string {
  const own =
    end.status === "success" ? shortWords(() => tool.compressResult?.(end.data)) : undefined;
  return detached(neutralise(own ?? whole.slice(0, previewChars).toWellFormed()));
}

function argsPreview(tool: Tool, args: JsonObject): { readonly argsPreview?: string } {
  const words = shortWords(() => tool.compressArgs?.(args));
  return words === undefined ? {} : { argsPreview: detached(words) };
}

/** A tool's own words for the log; undefined where it has none, or fails to say them. */
function shortWords(say: () => unknown): string | undefined {
  try {
    const words = say();
    return typeof words === "string" ? words.slice(0, previewChars).toWellFormed() : undefined;
  } catch {
    return undefined;
  }
}
