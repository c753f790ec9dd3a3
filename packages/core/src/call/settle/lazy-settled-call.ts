import type { CallRecord, CallResult } from "../record/call-record.ts";
import type { DraftOutcome } from "../record/tool-outcome.ts";
import type { SettledCall } from "../record/settled-call.ts";
import type { SettledToolResult } from "../../tool/tool-result.ts";

/** The parts from which the record and the result are built. */
export interface LazySettledCallParts {
  readonly record: CallRecord & { readonly toolId: string; readonly result: CallResult };
  readonly end: DraftOutcome;
  /** What it gave, as text, uncut. */
  readonly formattedText: string;
}

/** A call that ran. Its result is built when it is first read: a chain has the records, and seldom needs it. */
export class LazySettledCall implements SettledCall {
  readonly status = "settled";
  readonly #parts: LazySettledCallParts;
  #result: SettledToolResult | undefined;

  constructor(parts: LazySettledCallParts) {
    this.#parts = parts;
  }

  get record(): CallRecord {
    return this.#parts.record;
  }

  get result(): SettledToolResult {
    return (this.#result ??= resultOf(this.#parts));
  }
}

function resultOf({ record, end, formattedText }: LazySettledCallParts): SettledToolResult {
  const { callId, toolId, result: kept } = record;
  const { finalText, tokens, durationMs, isTruncated } = kept;
  const { cacheVarResult, cacheVarArgs, parts } = kept;
  return {
    callId,
    toolId,
    finalText,
    tokens,
    durationMs,
    formattedText,
    isTruncated,
    ...end,
    ...(cacheVarResult !== undefined && { cacheVarResult }),
    ...(cacheVarArgs !== undefined && { cacheVarArgs }),
    ...(parts !== undefined && { parts }),
  };
}
