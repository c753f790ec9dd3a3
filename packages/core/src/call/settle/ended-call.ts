import type { CallRecord, CallResult } from "../record/call-record.ts";
import type { DraftOutcome } from "../record/tool-outcome.ts";
import type { SettledCall } from "../record/settled-call.ts";
import type { SettledToolResult } from "../../tool/tool-result.ts";

/** What an ended call that ran is made of. */
export interface EndedCallParts {
  readonly record: CallRecord & { readonly toolId: string; readonly result: CallResult };
  readonly end: DraftOutcome;
  /** What it gave, as text, uncut. */
  readonly formattedText: string;
}

/** A call that ran. What its caller gets is put together when it is first looked at: a chain has the rows, and seldom needs it. */
export class EndedCall implements SettledCall {
  readonly status = "settled";
  readonly #parts: EndedCallParts;
  #result: SettledToolResult | undefined;

  constructor(parts: EndedCallParts) {
    this.#parts = parts;
  }

  get record(): CallRecord {
    return this.#parts.record;
  }

  get result(): SettledToolResult {
    return (this.#result ??= resultOf(this.#parts));
  }
}

function resultOf({ record, end, formattedText }: EndedCallParts): SettledToolResult {
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
