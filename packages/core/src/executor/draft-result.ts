import { type Formatted, formatResult } from "../output/format-result.ts";
import { truncate, type Truncated } from "../output/truncate.ts";
import { truncateToTokens } from "../output/truncate-to-tokens.ts";
import type { RegisteredTool } from "../tool/registry.ts";
import type { Tool } from "../tool/tool.ts";
import type { ToolErrorData } from "../tool/tool-error.ts";
import type { CallRecord } from "./call-record.ts";
import { errorText } from "./error-text.ts";
import { unexpectedResult } from "./unexpected-result.ts";
import type { Gate } from "./gate.ts";
import type { Outcome } from "./outcome.ts";

export type FormattedText = Extract<Formatted, { readonly status: "formatted" }>;

/** How a call that ran ended, for its caller. */
export type CallEnd =
  | { readonly status: "success"; readonly data: unknown }
  | { readonly status: "error" | "timed_out" | "cancelled"; readonly error: ToolErrorData };

/** A result before anybody saw it: what it says, and what the model would be shown of it. */
export interface DraftResult {
  readonly end: CallEnd;
  readonly formatted: FormattedText;
  readonly cut: Truncated;
  readonly durationMs: number;
}

/** Stages 8 and 9: from how a tool ended to text, whole and cut. */
export function draftResult(
  gate: Gate,
  record: CallRecord,
  registered: RegisteredTool,
  outcome: Outcome,
): DraftResult {
  const { formatted, end } = format(record, registered, outcome);
  const cut = cutForModel(gate, registered.tool, formatted.text, record);
  return { end, formatted, cut, durationMs: outcome.durationMs };
}

function format(
  record: CallRecord,
  { tool, name }: RegisteredTool,
  outcome: Outcome,
): { readonly formatted: FormattedText; readonly end: CallEnd } {
  switch (outcome.status) {
    case "returned": {
      const formatted = formatResult(tool, outcome.value, record.args ?? {});
      if (formatted.status === "formatted") {
        const error = unexpectedResult(tool, formatted);
        if (error === undefined)
          return { formatted, end: { status: "success", data: outcome.value } };
        // It ran, and what it gave is worth reading all the same.
        const text = `${errorText(error)}\n\nWhat it returned:\n${formatted.text}`;
        return { formatted: { ...formatted, text }, end: { status: "error", error } };
      }
      const message = `${name} ran, but its result cannot be used. ${formatted.message}`;
      return failed("error", { code: "unusable_result", message });
    }
    case "failed":
      return failed("error", outcome.error);
    case "timed_out": {
      const message = `${name} was stopped after ${outcome.timeoutMs / 1000} s. It may have acted.${stillAtWork(outcome)} Ask for less at a time, or go on without it.`;
      return failed("timed_out", { code: "timed_out", message, retryable: true });
    }
    case "cancelled": {
      const acted = outcome.started ? "It had begun and may have acted." : "It had not begun.";
      const message = `${name} was stopped: ${outcome.reason}. ${acted}${stillAtWork(outcome)}`;
      return failed("cancelled", { code: "cancelled", message });
    }
  }
}

function stillAtWork({ leftBehind }: { readonly leftBehind?: true }): string {
  return leftBehind === true ? " It did not heed the stop and may still be at work." : "";
}

function failed(status: "error" | "timed_out" | "cancelled", error: ToolErrorData) {
  const formatted: FormattedText = { status: "formatted", text: errorText(error) };
  return { formatted, end: { status, error } };
}

/** Stage 9. A tool's own cut, else the head and the tail of what is too long. */
export function cutForModel(gate: Gate, tool: Tool, whole: string, record: CallRecord): Truncated {
  const own = ownCut(gate, tool, whole, record);
  if (own !== undefined) return own;
  const ceiling = gate.limits.outputCeilingChars;
  const limit = outputLimit(gate, tool, record);
  const size = limit.size <= 0 ? ceiling : limit.size;
  if (limit.size <= 0 || limit.unit === "characters")
    return truncate(whole, Math.min(size, ceiling));
  const { countTokens } = gate;
  return truncateToTokens(whole, { tokens: size, countTokens, maxChars: ceiling });
}

interface OutputLimit {
  readonly unit: "characters" | "tokens";
  /** 0 or less: no limit but the ceiling. */
  readonly size: number;
}

/** The model's own wish goes first, then the tool's, then what the gate was given. */
function outputLimit({ limits }: Gate, tool: Tool, record: CallRecord): OutputLimit {
  const { DEFAULT_OUTPUT_LIMIT_TOKENS: tokens, DEFAULT_OUTPUT_LIMIT_CHAR: chars } = tool;
  if (record.limit !== undefined) return { unit: "characters", size: record.limit };
  if (tool.SKIP_EXTERNAL_TRUNCATE === true) return { unit: "characters", size: 0 };
  if (tokens !== undefined) return { unit: "tokens", size: tokens };
  if (chars !== undefined) return { unit: "characters", size: chars };
  if (limits.outputTokens !== undefined) return { unit: "tokens", size: limits.outputTokens };
  return { unit: "characters", size: limits.outputChars };
}

/** What the tool itself shows; undefined where it does not say, or fails to. */
function ownCut(
  { limits }: Gate,
  tool: Tool,
  whole: string,
  record: CallRecord,
): Truncated | undefined {
  if (tool.truncateForLLM === undefined) return undefined;
  let text: unknown;
  try {
    const args = record.limit === undefined ? record.args : { ...record.args, limit: record.limit };
    text = tool.truncateForLLM(whole, args ?? {});
  } catch {
    return undefined;
  }
  if (typeof text !== "string") return undefined;
  const shown = truncate(text, limits.outputCeilingChars);
  if (text === whole) return shown;
  const omitted = Math.max(0, whole.length - text.length) + shown.omitted;
  if (omitted === 0) return shown;
  // What the tool chose to show is not known, unless it is the beginning.
  const start = shown.omitted === 0 && whole.startsWith(text) ? text.length : 0;
  return { text: shown.text, omitted, rest: { start, length: whole.length - start } };
}
