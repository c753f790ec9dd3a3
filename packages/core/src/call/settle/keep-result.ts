import type { SettledToolResult } from "../../tool/tool-result.ts";
import { shortJson } from "../../json/short-json.ts";
import type { JsonObject } from "../../base/json.ts";
import { noResult, valueOf } from "./format-result.ts";
import { detached, thousands, type Truncated } from "../../text/truncate.ts";
import { neutraliseOutside } from "../../text/neutralise.ts";
import type { ContentPart } from "../../model/content-part.ts";
import type { RegisteredTool } from "../../tool/registry.ts";
import type { Tool } from "../../tool/tool.ts";
import type { KeptResult } from "../../variables/variable.ts";
import type { CallRecord, CallResult } from "../record/call-record.ts";
import { callStatusOf } from "../record/call-status.ts";
import { callTokens, type Gate } from "../gate/gate.ts";
import {
  type DraftResult,
  type DraftOutcome,
  previewChars,
  type SettledCall,
} from "../record/call-outcome.ts";
import type { Mutable } from "../../base/mutable.ts";
import { minNamedChars } from "../../variables/long-messages.ts";

/** The maximum characters that the model is shown of arguments that a user changed. */
const editNoteChars = 2_000;

/**
 * Stages 11 and 12: stores the result as a variable, and adds its name to the text for the model.
 *
 * @param endedAt ms since the epoch
 */
export function keepResult(
  gate: Gate,
  record: CallRecord,
  registered: RegisteredTool,
  draft: DraftResult,
  endedAt: number,
): SettledCall {
  const { tool } = registered;
  const { end, formatted, cut, durationMs } = draft;
  const args: JsonObject = record.args ?? {};
  const whole = formatted.text;
  const names = keep(gate, record, registered, draft, endedAt);
  const hint = tool.variableTool === true ? "" : resultHint({ name: names?.result, whole, cut });
  // Providers reject a lone surrogate; the variable keeps the original text.
  const text = neutraliseOutside(editNote(record) + cut.text + hint).toWellFormed();

  const isTruncated = cut.omitted > 0;
  // The record outlives the value, so it must not keep the value's memory alive.
  const finalText = isTruncated ? detached(text) : text;
  const tokens = callTokens({
    gate,
    record,
    tool,
    finalText,
    whole: isTruncated ? whole : undefined,
  });
  const kept: Mutable<CallResult> = {
    finalText,
    isTruncated,
    tokens,
    durationMs,
    preview: preview(tool, { whole, finalText }, end),
  };
  const argsText = argsPreview(tool, args);
  if (argsText !== undefined) kept.argsPreview = argsText;
  if (names !== undefined) {
    kept.cacheVarResult = names.result;
    kept.cacheVarArgs = names.args;
  }
  if (formatted.parts !== undefined) kept.parts = formatted.parts;
  if (formatted.annotations !== undefined) kept.annotations = formatted.annotations;
  if (end.status !== "success") kept.error = end.error;
  const status = callStatusOf[end.status];
  const answer = answerOf(record, draft);
  const ended: Mutable<CallRecord> = {
    ...record,
    toolId: registered.id,
    status,
    endedAt,
    result: kept,
  };
  if (answer !== undefined) ended.answer = answer;
  const common = {
    callId: record.callId,
    toolId: registered.id,
    finalText,
    tokens,
    durationMs,
    formattedText: whole,
    isTruncated,
  };
  const result: Mutable<SettledToolResult> =
    end.status === "success"
      ? { ...common, status: end.status, data: end.data }
      : { ...common, status: end.status, error: end.error };
  if (names !== undefined) {
    result.cacheVarResult = names.result;
    result.cacheVarArgs = names.args;
  }
  if (formatted.parts !== undefined) result.parts = formatted.parts;
  if (formatted.annotations !== undefined) result.annotations = formatted.annotations;
  return { status: "settled", record: ended, result };
}

/** Whether the results of a tool become variables. */
export function keepsResults(tool: Tool): boolean {
  return tool.variableTool !== true && tool.SKIP_CACHE_RESULT !== true;
}

/** Returns the text of a final call for the user, or undefined if there is none. */
function answerOf({ final }: CallRecord, { end, formatted }: DraftResult): string | undefined {
  if (final !== true || end.status !== "success") return undefined;
  const { text, data, parts, written } = formatted;
  if (parts !== undefined) return partsAnswer(parts, written);
  return data === null && text === noResult ? undefined : text;
}

/**
 * Returns the text of an answer with parts: the text that the tool wrote, or else its text parts,
 * with its links and the names of its files. Pictures are shown without text.
 */
function partsAnswer(parts: readonly ContentPart[], written: string | undefined): string {
  const lines = parts.flatMap((part) => {
    switch (part.type) {
      case "text":
        return written === undefined ? [part.text] : [];
      case "link":
        return [part.title === undefined ? part.url : `[${part.title}](${part.url})`];
      case "file":
        return [part.name];
      case "image":
        return [];
    }
  });
  return [...(written === undefined ? [] : [written]), ...lines].join("\n");
}

/** Stage 11. Stores errors too. A stopped call has nothing to store. */
function keep(
  gate: Gate,
  record: CallRecord,
  { tool, name }: RegisteredTool,
  draft: DraftResult,
  at: number,
): KeptResult | undefined {
  if (!keepsResults(tool) || draft.end.status === "cancelled") return undefined;
  const about = beginning(record.argumentsText);
  const value = valueOf(draft.formatted);
  const kept = gate.variables.keepResult(name, value, record.args ?? {}, {
    desc: `Result of ${name} ${about}`,
    name: record.keepAs,
    at,
  });
  return kept.refused === undefined ? kept : undefined;
}

function beginning(text: string): string {
  const start = text.length <= 80 ? text : `${text.slice(0, 80).toWellFormed()}…`;
  return start.includes("\n") ? start.replaceAll("\n", " ") : start;
}

function editNote({ edited, args }: CallRecord): string {
  if (edited !== true) return "";
  return `[A user changed the arguments before it ran; these are in effect: ${shortJson(args, editNoteChars)}]\n\n`;
}

function preview(tool: Tool, { whole, finalText }: Texts, end: DraftOutcome): string {
  const own =
    end.status === "success" && tool.compressResult !== undefined
      ? shortText(() => tool.compressResult?.(end.data))
      : undefined;
  // The text is short and already neutralised.
  if (own === undefined && finalText === whole && whole.length <= previewChars) return whole;
  return detached(neutraliseOutside(own ?? whole.slice(0, previewChars).toWellFormed()));
}

interface Texts {
  readonly whole: string;
  readonly finalText: string;
}

function argsPreview(tool: Tool, args: JsonObject): string | undefined {
  if (tool.compressArgs === undefined) return undefined;
  const text = shortText(() => tool.compressArgs?.(args));
  return text === undefined ? undefined : detached(text);
}

/** Returns a tool's own text for the log, or undefined if the function is missing or throws. */
function shortText(compute: () => unknown): string | undefined {
  try {
    const text = compute();
    return typeof text === "string" ? text.slice(0, previewChars).toWellFormed() : undefined;
  } catch {
    return undefined;
  }
}

/** Characters that one `ReadVar` call reads. */
const page = 8_000;

/** The options of `resultHint`: the variable's name, the full text and its truncation. */
export interface ResultHintOptions {
  readonly name: string | undefined;
  readonly whole: string;
  readonly cut: Truncated;
}

/**
 * Stage 12. Returns the hint after a result: the variable's name, and how to read the omitted part.
 * The shown text and the range of the hint together are exactly the whole text.
 */
export function resultHint({ name, whole, cut }: ResultHintOptions): string {
  const { omitted, rest } = cut;
  if (omitted === 0)
    return name !== undefined && cut.text.length >= minNamedChars ? `\n\n[Stored as ${name}]` : "";
  const end = rest.start + rest.length;
  const cutText =
    rest.length === omitted
      ? `Omitted: ${thousands(omitted)} of ${thousands(whole.length)} characters, from ${rest.start} to ${end}.`
      : `Truncated by the tool; the full result has ${thousands(whole.length)} characters.`;
  if (name === undefined) return `\n\n[${cutText} The full value was not stored.]`;
  const next = JSON.stringify({ name, start: rest.start, length: Math.min(rest.length, page) });
  return `\n\n[${cutText} Read on: ReadVar(${next}). Pass the full value to a tool: $VAR_REF{{${name}}}]`;
}
