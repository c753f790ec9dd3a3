import type { JsonObject } from "../model/json.ts";
import { type Formatted, formatResult, valueOf } from "../output/format-result.ts";
import { resultHint } from "../output/hint.ts";
import { neutralise } from "../output/neutralise.ts";
import { truncate } from "../output/truncate.ts";
import type { RegisteredTool } from "../tool/registry.ts";
import type { Tool } from "../tool/tool.ts";
import type { ToolErrorData } from "../tool/tool-error.ts";
import type { CallRecord, CallResult } from "./call-record.ts";
import { callStatusOf } from "./call-status.ts";
import { errorText, rejectionText } from "./error-text.ts";
import type { Gate } from "./gate.ts";
import type { Outcome } from "./outcome.ts";
import type { SettledToolResult } from "./tool-execute-result.ts";

export interface Settled {
  readonly record: CallRecord;
  readonly result: SettledToolResult;
}

const previewChars = 200;

/** The third segment, stages 8 to 12: from how a tool ended to what the model reads. */
export function settle(
  gate: Gate,
  record: CallRecord,
  registered: RegisteredTool,
  outcome: Outcome,
): Settled {
  const args = record.args ?? {};
  const { durationMs } = outcome;
  switch (outcome.status) {
    case "returned": {
      const formatted = formatResult(registered.tool, outcome.value, args);
      if (formatted.status === "failed") {
        const error = {
          code: "unusable_result",
          message: `${registered.name} ran, but its result cannot be used. ${formatted.message}`,
        };
        return finish(gate, record, registered, {
          durationMs,
          formatted: textOf(error),
          end: { status: "error", error },
        });
      }
      return finish(gate, record, registered, {
        durationMs,
        formatted,
        end: { status: "success", data: outcome.value },
      });
    }
    case "failed":
      return finish(gate, record, registered, {
        durationMs,
        formatted: textOf(outcome.error),
        end: { status: "error", error: outcome.error },
      });
    case "timed_out": {
      const message = `${registered.name} was stopped after ${outcome.timeoutMs / 1000} s. It may have acted. Ask for less at a time, or go on without it.`;
      const error = { code: "timed_out", message, retryable: true };
      return finish(gate, record, registered, {
        durationMs,
        formatted: textOf(error),
        end: { status: "timed_out", error },
      });
    }
    case "cancelled": {
      const acted = outcome.started ? "It had begun and may have acted." : "It had not begun.";
      const error = {
        code: "cancelled",
        message: `${registered.name} was stopped: ${outcome.reason}. ${acted}`,
      };
      return finish(gate, record, registered, {
        durationMs,
        formatted: textOf(error),
        end: { status: "cancelled", error },
      });
    }
  }
}

type End =
  | { readonly status: "success"; readonly data: unknown }
  | {
      readonly status: "error" | "timed_out" | "not_found" | "cancelled" | "outcome_unknown";
      readonly error: ToolErrorData;
    };

interface Ending {
  readonly durationMs: number;
  readonly formatted: Extract<Formatted, { readonly status: "formatted" }>;
  readonly end: End;
}

function finish(
  gate: Gate,
  record: CallRecord,
  registered: RegisteredTool,
  { durationMs, formatted, end }: Ending,
): Settled {
  const { tool } = registered;
  const args: JsonObject = record.args ?? {};
  const whole = formatted.text;
  const cut = cutForModel(gate, tool, whole, record);
  const kept =
    tool.variableTool === true || tool.SKIP_CACHE_RESULT === true || end.status === "cancelled"
      ? undefined
      : gate.variables.keepResult(
          registered.name,
          valueOf(formatted),
          args,
          describe(registered.name, record),
        );
  const names =
    kept === undefined || kept.refused !== undefined
      ? {}
      : { cacheVarResult: kept.result, cacheVarArgs: kept.args };
  const hint =
    tool.variableTool === true
      ? ""
      : resultHint({
          name: names.cacheVarResult,
          shown: cut.text.length,
          total: whole.length,
          ...cut,
        });
  const finalText = neutralise(notes(record) + cut.text + hint);

  const shownTokens = gate.countTokens(finalText);
  const tokens = {
    shown: shownTokens,
    withheld: cut.omitted > 0 ? Math.max(0, gate.countTokens(whole) - shownTokens) : 0,
  };
  const isTruncated = cut.omitted > 0;
  const parts = formatted.parts === undefined ? {} : { parts: formatted.parts };
  const kind = end.status === "success" ? {} : { error: end.error };
  const result: CallResult = {
    finalText,
    isTruncated,
    tokens,
    durationMs,
    preview: preview(tool, whole, end),
    ...argsPreview(tool, args),
    ...names,
    ...parts,
    ...kind,
  };
  return {
    record: { ...record, status: callStatusOf[end.status], endedAt: gate.clock.now(), result },
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

/** A call that never ran, or whose end only this process can tell: nothing to format or keep. */
export function unsettledResult(
  gate: Gate,
  record: CallRecord,
  end:
    | { readonly status: "execution_rejected"; readonly reason: string }
    | {
        readonly status: "not_found" | "error" | "cancelled" | "outcome_unknown";
        readonly error: ToolErrorData;
      },
): Settled {
  const rejection = end.status === "execution_rejected";
  const error: ToolErrorData = rejection
    ? { code: "execution_rejected", message: rejectionText(record, end.reason) }
    : end.error;
  const finalText = neutralise(
    truncate(rejection ? error.message : errorText(error), gate.limits.outputChars).text,
  );
  const tokens = { shown: gate.countTokens(finalText), withheld: 0 };
  const reason = rejection ? { rejectReason: end.reason } : {};
  const common = {
    callId: record.callId,
    ...(record.toolId !== undefined && { toolId: record.toolId }),
    finalText,
    tokens,
    durationMs: 0,
  };
  return {
    record: {
      ...record,
      status: callStatusOf[end.status],
      endedAt: gate.clock.now(),
      result: {
        finalText,
        isTruncated: false,
        tokens,
        durationMs: 0,
        preview: finalText.slice(0, previewChars),
        error,
        ...reason,
      },
    },
    result: rejection
      ? { ...common, status: "execution_rejected", rejectReason: end.reason, error }
      : { ...common, status: end.status, error },
  };
}

/** Stage 9. */
function cutForModel(gate: Gate, tool: Tool, whole: string, record: CallRecord) {
  const ceiling = gate.limits.outputCeilingChars;
  const wanted =
    record.limit ??
    (tool.SKIP_EXTERNAL_TRUNCATE === true
      ? 0
      : (tool.DEFAULT_OUTPUT_LIMIT_CHAR ?? gate.limits.outputChars));
  const limit = wanted <= 0 ? ceiling : Math.min(wanted, ceiling);
  if (tool.truncateForLLM === undefined) return truncate(whole, limit);
  try {
    const args =
      record.limit === undefined ? (record.args ?? {}) : { ...record.args, limit: record.limit };
    const text = tool.truncateForLLM(whole, args);
    const shown = truncate(text, ceiling);
    // The tool chose what to show, so where it stopped is not known: reading on begins at the start.
    return text.length < whole.length
      ? { text: shown.text, omitted: whole.length - text.length, omittedFrom: 0 }
      : shown;
  } catch {
    return truncate(whole, limit);
  }
}

function textOf(error: ToolErrorData): Extract<Formatted, { readonly status: "formatted" }> {
  return { status: "formatted", text: errorText(error) };
}

function notes(record: CallRecord): string {
  return record.edited === true
    ? "[A person changed the arguments before it ran; these are in effect: " +
        JSON.stringify(record.args) +
        "]\n\n"
    : "";
}

function describe(name: string, record: CallRecord): string {
  return `Result of ${name} ${truncate(record.argumentsText, 80).text.replaceAll("\n", " ")}`;
}

function preview(tool: Tool, whole: string, end: End): string {
  let text = whole;
  if (end.status === "success" && tool.compressResult !== undefined) {
    try {
      text = tool.compressResult(end.data);
    } catch {
      text = whole;
    }
  }
  return neutralise(text.slice(0, previewChars).toWellFormed());
}

function argsPreview(tool: Tool, args: JsonObject): { readonly argsPreview?: string } {
  try {
    const words = tool.compressArgs?.(args);
    return words === undefined ? {} : { argsPreview: words.slice(0, previewChars).toWellFormed() };
  } catch {
    return {};
  }
}
