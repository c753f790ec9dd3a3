import type { RegisteredTool } from "../../tool/registry.ts";
import type { CallRecord } from "../record/call-record.ts";
import type { Gate } from "../gate/gate.ts";
import type { ToolOutcome, DraftOutcome, FormattedText } from "../record/tool-outcome.ts";
import { errorText } from "../record/call-status.ts";
import { formatResult, resultSchemaError } from "./format-result.ts";
import { type Truncated, truncate, untruncated } from "../../text/truncate.ts";
import type { ToolErrorData } from "../../base/errors.ts";
import { overlap } from "../../text/overlap.ts";
import { truncateToTokens } from "../../text/truncate-to-tokens.ts";
import type { Tool } from "../../tool/tool.ts";

/** A result before anybody saw it: what it says, and what the model would be shown of it. */
export interface DraftResult {
  readonly end: DraftOutcome;
  readonly formatted: FormattedText;
  readonly cut: Truncated;
  readonly durationMs: number;
}

/** Stages 8 and 9: from how a tool ended to text, whole and cut. */
export function draftResult(
  gate: Gate,
  record: CallRecord,
  registered: RegisteredTool,
  outcome: ToolOutcome,
): DraftResult {
  const { formatted, end } = format(record, registered, outcome);
  const isError = end.status !== "success";
  const cut = truncateForModel(gate, registered.tool, { whole: formatted.text, record, isError });
  return { end, formatted, cut, durationMs: outcome.durationMs };
}

function format(
  record: CallRecord,
  { tool, name }: RegisteredTool,
  outcome: ToolOutcome,
): { readonly formatted: FormattedText; readonly end: DraftOutcome } {
  switch (outcome.status) {
    case "returned": {
      const plain = formatResult(tool, outcome.value, record.args ?? {});
      const { text: written } = outcome;
      const formatted =
        plain.status === "failed" || written === undefined ? plain : { ...plain, text: written };
      if (formatted.status === "formatted") {
        const error = resultSchemaError(tool, formatted);
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
      const message = `${name} was stopped: ${outcome.reason}. It had begun and may have acted.${stillAtWork(outcome)}`;
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

export interface TruncateForModelOptions {
  readonly whole: string;
  readonly record: CallRecord;
  /** What a tool says of its results, how to cut them and that they be shown whole, is not said of its errors. */
  readonly isError: boolean;
}

/** Stage 9. Truncates a result as the tool does, else to its beginning and its end. */
export function truncateForModel(
  gate: Gate,
  tool: Tool,
  given: TruncateForModelOptions,
): Truncated {
  const { whole } = given;
  const own = given.isError ? undefined : toolTruncation(gate, tool, given);
  if (own !== undefined) return own;
  const ceiling = gate.limits.outputCeilingChars;
  const limit = outputLimit(gate, tool, given);
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
function outputLimit(
  { limits }: Gate,
  tool: Tool,
  { record, isError }: TruncateForModelOptions,
): OutputLimit {
  const { DEFAULT_OUTPUT_LIMIT_TOKENS: tokens, DEFAULT_OUTPUT_LIMIT_CHAR: chars } = tool;
  if (record.limit !== undefined) return { unit: "characters", size: record.limit };
  if (tool.SKIP_EXTERNAL_TRUNCATE === true && !isError) return { unit: "characters", size: 0 };
  if (tokens !== undefined) return { unit: "tokens", size: tokens };
  if (chars !== undefined) return { unit: "characters", size: chars };
  if (limits.outputTokens !== undefined) return { unit: "tokens", size: limits.outputTokens };
  return { unit: "characters", size: limits.outputChars };
}

/** Truncates with the tool's `truncateForLLM`. Returns `undefined` if it has none, or if that fails. */
function toolTruncation(
  { limits }: Gate,
  tool: Tool,
  { whole, record }: TruncateForModelOptions,
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
  const all = { start: 0, length: whole.length };
  if (shown.omitted > 0)
    return { text: shown.text, omitted: Math.max(1, whole.length - text.length), rest: all };
  if (text.includes(whole)) return untruncated(text);
  // Whatever the tool put between them: of the whole, a beginning and an end are shown.
  const { head, tail } = overlap(whole, text);
  const length = whole.length - head - tail;
  return head + tail >= text.length / 2
    ? { text, omitted: length, rest: { start: head, length } }
    : { text, omitted: Math.max(1, whole.length - text.length), rest: all };
}
