import type { CallRecord } from "../../call/record/call-record.ts";
import type { Message } from "../../model/message.ts";
import type { Usage } from "../../model/usage.ts";
import type { ApprovalRequest } from "../../policy/approval.ts";
import type { ReviewNotice } from "../../policy/review.ts";

/** The status of a chain. `requires_action`: it waits for users or clients. */
export type ChainStatus =
  | "running"
  | "requires_action"
  | "completed"
  | "aborted"
  | "error"
  | "timeout";

/** The part of a chain in which an error occurred. */
export type ChainPhase =
  /** A call's arguments were not JSON or did not match the tool's schema. */
  | "arguments"
  | "tool"
  /** Preparing a request to the model failed: the system prompt or `onBeforeSendToLLM`. */
  | "before_send"
  | "model"
  /** The model's last answer was empty. */
  | "final_response"
  /** A callback or listener of the program failed. */
  | "callback"
  | "chain";

/** An error that ended a chain, or a problem that did not. Plain JSON. */
export interface ChainError {
  /**
   * A `ModelErrorCode`, or `aborted`, `timeout`, `empty_answer`, `invalid_options`,
   * `invalid_limits`, `invalid_state`, `invalid_messages`, `invalid_answers`, `already_resumed`,
   * `system_prompt_failed`, `before_send_failed`, `fenced`, `journal_failed`, `detached`,
   * `interrupted`, `internal`. In `problems`, it can also be `callback_failed` or `not_awaited`.
   */
  readonly code: string;
  readonly message: string;
  readonly phase: ChainPhase;
  readonly retryAfterMs?: number;
}

/**
 * Statistics of a chain. The executor counts the tokens of results; `usage` comes from the
 * provider.
 */
export interface ChainStats {
  readonly totalRounds: number;
  readonly totalCalls: number;
  /** Milliseconds, without the time that the chain waited for users and clients. */
  readonly totalTime: number;
  readonly startTime: number;
  readonly endTime: number;
  /** Tokens of the definitions of the called tools, each counted once. */
  readonly tokensDefinitions: number;
  readonly tokensArguments: number;
  /**
   * Tokens of the results that the model was shown, and of the omitted parts.
   */
  readonly tokensShown: number;
  readonly tokensWithheld: number;
  /** True if there is no tokenizer: four characters count as one token. */
  readonly tokensEstimated?: true;
  /** Cost of the model, in the currency of its prices; absent if it has no prices. */
  readonly cost?: number;
}

/**
 * The state from which a chain resumes: plain JSON. `messages` contains the messages of this turn,
 * after the caller's context; `calls` contains every call so far.
 */
export interface ChainState {
  readonly round: number;
  readonly messages: readonly Message[];
  readonly calls: readonly CallRecord[];
  readonly usage: Usage;
  readonly startTime: number;
  /** Running time so far, in ms. */
  readonly elapsed: number;
  /** Usage of each finished round. */
  readonly usageByRound?: readonly RoundUsage[];
  /**
   * The last message was cut off. When the chain resumes, it is discarded and the model answers
   * again.
   */
  readonly cut?: true;
}

/** The usage of one round. */
export interface RoundUsage {
  readonly round: number;
  readonly usage: Usage;
}

/**
 * The compressed form of a finished turn. `hint` and `flow` are made without a model, and are the
 * same each time, byte for byte.
 */
export interface TurnLog {
  /**
   * The `<SYSTEM-CONTEXT>` block: each call with the names of its variables. Empty if nothing was
   * called.
   */
  readonly hint: string;
  /** The text for users: the model's text with a log block for each call. */
  readonly flow: string;
  /**
   * The developer message that a later request shows the model before the answer. Empty if nothing
   * was called.
   */
  readonly replay: string;
  /** Characters of `hint` in `hint + flow`. */
  readonly hintSize: number;
}

/** The stored part of a stopped chain's result. Plain JSON. */
export interface ChainResultRecord {
  readonly status: Exclude<ChainStatus, "running">;
  /** All of the assistant's own text, without log blocks. */
  readonly answer: string;
  /** The replay of a turn that ended. The other parts of a log are derived from the calls. */
  readonly log?: Pick<TurnLog, "replay">;
  readonly usage: Usage;
  /** The part of `usage` that the rounds of another chain used, if this chain took over its turn. */
  readonly inheritedUsage?: Usage;
  readonly stats: ChainStats;
  readonly error?: ChainError;
  /** The reason why the last model step ended, for example `length`. */
  readonly finishReason?: string;
  /** The requests that the chain waits for, with status `requires_action`. */
  readonly waiting?: readonly AwaitedRecord[];
  /** The limit that was reached; the model then got no more tools. */
  readonly limit?: ReachedLimit;
}

/**
 * A request in a chain's stored result. The arguments of a call that needs approval can be large,
 * and only its approval has them, so that lists of runs stay small.
 */
export type AwaitedRecord =
  | {
      readonly type: "approval";
      readonly callId: string;
      readonly approval: Pick<ApprovalRequest, "id" | "toolId">;
    }
  | { readonly type: "review"; readonly callId: string; readonly review: Pick<ReviewNotice, "id"> }
  | Extract<Awaited, { readonly type: "client_call" }>;

/** A request that a chain waits for. Plain JSON. */
export type Awaited =
  | { readonly type: "approval"; readonly callId: string; readonly approval: ApprovalRequest }
  /** A user must review its result first. */
  | { readonly type: "review"; readonly callId: string; readonly review: ReviewNotice }
  | {
      readonly type: "client_call";
      readonly callId: string;
      readonly name: string;
      readonly argumentsText: string;
    };

/** A limit that a turn reached, with a message for the model and for users. */
export interface ReachedLimit {
  readonly limit: LimitName;
  readonly message: string;
}

/** The names of a turn's limits. */
export type LimitName = "rounds" | "calls" | "tokens" | "time" | "cost" | "repeats";
