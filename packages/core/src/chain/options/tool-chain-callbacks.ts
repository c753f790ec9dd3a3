import type { CallResult } from "../../call/record/call-record.ts";
import type { SettledStatus } from "../../tool/tool-result.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Message } from "../../model/message.ts";
import type { ChainError, ChainPhase } from "../journal/chain-result.ts";

/** A call that is under way. */
export interface RunningCall {
  readonly callId: string;
  readonly toolName: string;
}

/**
 * What a program wants to be told of; all but `onBeforeSendToLLM` are derived from the chain's
 * events. None is waited for, and one that throws or rejects is reported to `onError` with the
 * phase `callback` and in the result's `problems`, and stops nothing.
 */
export interface ToolChainCallbacks {
  /** A call came: before it is checked, asked about and run. Each gets its `onToolCallComplete`. */
  readonly onToolCallStart?: (toolName: string, args: JsonObject, callId: string) => unknown;
  readonly onToolCallComplete?: (
    result: CallResult & { readonly status: SettledStatus },
    callId: string,
  ) => unknown;
  /** The words of the current step so far, and the calls that run; whenever either changes. */
  readonly onLLMResponseUpdate?: (content: string, running: readonly RunningCall[]) => unknown;
  /** The words of a step that is finished. */
  readonly onLLMResponseComplete?: (content: string) => unknown;
  /** What went wrong and where: each call that failed, and whatever ended the chain early. */
  readonly onError?: (error: ChainError, phase: ChainPhase) => unknown;
  /**
   * Sees, and may change, the messages of every request, the last and repeated ones included.
   * Where it throws, nothing is sent and the chain ends with an error of the phase `before_send`.
   * It is waited for until the turn is stopped or its time is over; then the signal aborts.
   */
  readonly onBeforeSendToLLM?: (
    messages: readonly Message[],
    context: { readonly signal: AbortSignal },
  ) => readonly Message[] | undefined | void | Promise<readonly Message[] | undefined | void>;
}
