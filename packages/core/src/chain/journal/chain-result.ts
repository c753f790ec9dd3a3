import type { CallRecord } from "../../call/record/call-record.ts";
import type { Message } from "../../model/message.ts";
import type { Usage } from "../../model/usage.ts";
import type { ApprovalRequest } from "../../policy/approval.ts";
import type { ReviewNotice } from "../../policy/review.ts";

export type ChainStatus =
  | "running"
  | "requires_action"
  | "completed"
  | "aborted"
  | "error"
  | "timeout";

export type ChainPhase =
  /** A call's arguments: no JSON, or not what the tool takes. */
  | "arguments"
  | "tool"
  /** A request to the model was being made: the system prompt, `onBeforeSendToLLM`. */
  | "before_send"
  | "model"
  /** The model's last answer is empty. */
  | "final_response"
  /** A callback or listener of the program. */
  | "callback"
  | "chain";

export interface ChainError {
  /**
   * A `ModelErrorCode`, or `aborted`, `timeout`, `empty_answer`, `invalid_options`, `invalid_limits`, `invalid_state`, `invalid_messages`, `invalid_answers`,
   * `already_resumed`, `system_prompt_failed`, `before_send_failed`, `fenced`, `journal_failed`, `detached`, `interrupted`, `internal`; among the problems also `callback_failed` and `not_awaited`.
   */
  readonly code: string;
  readonly message: string;
  readonly phase: ChainPhase;
  readonly retryAfterMs?: number;
}

/** Numbers of a chain. Tokens of results are ours, `usage` is the provider's. */
export interface ChainStats {
  readonly totalRounds: number;
  readonly totalCalls: number;
  /** Milliseconds, waiting for people and clients not counted. */
  readonly totalTime: number;
  readonly startTime: number;
  readonly endTime: number;
  /** Of the definitions of the tools that were called, each once. */
  readonly tokensDefinitions: number;
  readonly tokensArguments: number;
  /** What the model was shown of the results, and what was kept from it. */
  readonly tokensShown: number;
  readonly tokensWithheld: number;
  /** No tokenizer was given: four characters were taken for a token. */
  readonly tokensEstimated?: true;
  /** What the model cost, in the currency of its prices; absent where it has none. */
  readonly cost?: number;
}

/**
 * All that is needed to carry a chain on: plain JSON. `messages` are those of this turn, after
 * the caller's context; `calls` is every call so far.
 */
export interface ChainState {
  readonly round: number;
  readonly messages: readonly Message[];
  readonly calls: readonly CallRecord[];
  readonly usage: Usage;
  readonly startTime: number;
  /** Running time so far, in ms. */
  readonly elapsed: number;
  /** What each finished round took. */
  readonly usageByRound?: readonly RoundUsage[];
  /** The last message was cut off: it is void when the chain is carried on, and said anew. */
  readonly cut?: true;
}

export interface RoundUsage {
  readonly round: number;
  readonly usage: Usage;
}

/** The finished turn, compressed. `hint` and `flow` are made without a model, and the same bytes every time. */
export interface TurnLog {
  /** The `<SYSTEM-CONTEXT>` block: each call and its handles. Empty where nothing was called. */
  readonly hint: string;
  /** What people read: the model's words with a log block for each call. */
  readonly flow: string;
  /** What a later request shows the model before the answer: a developer message. Empty where nothing was called. */
  readonly replay: string;
  /** Characters of `hint` in `hint + flow`. */
  readonly hintSize: number;
}

/** What is kept of a chain that stopped. Plain JSON. */
export interface ChainResultRecord {
  readonly status: Exclude<ChainStatus, "running">;
  /** The assistant's own words, all of them, without log text. */
  readonly answer: string;
  /** Of a turn that ended: what a later one shows the model of it. The rest of a log is made again from the calls. */
  readonly log?: Pick<TurnLog, "replay">;
  readonly usage: Usage;
  readonly stats: ChainStats;
  readonly error?: ChainError;
  /** Why the last model step ended, e.g. `length`. */
  readonly finishReason?: string;
  /** What is awaited, with status `requires_action`. */
  readonly waiting?: readonly Awaited[];
  /** The limit at which the model was given no more tools. */
  readonly limit?: ReachedLimit;
}

export type Awaited =
  | { readonly type: "approval"; readonly callId: string; readonly approval: ApprovalRequest }
  /** A person must see its result first. */
  | { readonly type: "review"; readonly callId: string; readonly review: ReviewNotice }
  | {
      readonly type: "client_call";
      readonly callId: string;
      readonly name: string;
      readonly argumentsText: string;
    };

/** A limit that a turn came to, in words for the model and for people. */
export interface ReachedLimit {
  readonly limit: LimitName;
  readonly message: string;
}

export type LimitName = "rounds" | "calls" | "tokens" | "time" | "cost" | "repeats";
