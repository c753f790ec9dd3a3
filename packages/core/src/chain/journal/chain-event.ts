import type { CallDecision, CallOwner, CallResult } from "../../call/record/call-record.ts";
import type { SettledStatus } from "../../tool/tool-result.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { FinishReason } from "../../model/model.ts";
import type { TokenLogprob } from "../../model/logprobs.ts";
import type { PlacedAnnotation } from "../../model/annotation.ts";
import type { Usage } from "../../model/usage.ts";
import type { ApprovalRequest } from "../../policy/approval.ts";
import type { ReviewNotice, ReviewOutcome } from "../../policy/review.ts";
import type { Progress } from "../../tool/tool-context.ts";
import type { ReachedLimit, ChainError, ChainStats, ChainStatus } from "./chain-result.ts";

/**
 * The kind of a streamed item: a message's text, a model's reasoning, a call's arguments as the
 * model writes them, or a running tool's output.
 */
export type StreamedItem =
  /** With `callId`, the text is the output of this final call, which is the assistant's message. */
  | {
      readonly kind: "text";
      readonly callId?: string;
      /** The text is a refusal to answer. */
      readonly refusal?: true;
    }
  | { readonly kind: "reasoning" }
  | {
      readonly kind: "arguments";
      readonly callId: string;
      readonly name: string;
      readonly owner: CallOwner;
    }
  | { readonly kind: "output"; readonly callId: string };

/** The events of a chain, in order. Times are ms since the epoch. */
export type ChainEvent =
  | { readonly type: "chain.started"; readonly at: number; readonly model: string }
  | { readonly type: "chain.resumed"; readonly at: number }
  | { readonly type: "round.started"; readonly round: number; readonly at: number }
  | {
      readonly type: "model.retry";
      readonly attempt: number;
      readonly delayMs: number;
      readonly reason: string;
    }
  /** Discard the model's output since the last finished step: the step begins again. */
  | { readonly type: "model.restarted"; readonly reason: string }
  | ({ readonly type: "item.start"; readonly itemId: string } & StreamedItem)
  | { readonly type: "item.delta"; readonly itemId: string; readonly delta: string }
  /** The tokens of the item's next delta, or of its end, with their log probabilities. */
  | {
      readonly type: "item.logprobs";
      readonly itemId: string;
      readonly logprobs: readonly TokenLogprob[];
    }
  /** Closes the item with its full text. `incomplete`: it was cut off. */
  | {
      readonly type: "item.end";
      readonly itemId: string;
      readonly text: string;
      readonly incomplete?: boolean;
      /** The sources that a message's text cites. */
      readonly annotations?: readonly PlacedAnnotation[];
    }
  | {
      readonly type: "round.ended";
      readonly round: number;
      readonly at: number;
      readonly finishReason: FinishReason;
      readonly usage: Usage;
    }
  | {
      readonly type: "call.proposed";
      readonly callId: string;
      readonly name: string;
      readonly owner: CallOwner;
      readonly round: number;
      readonly at: number;
      readonly toolId?: string;
      readonly groupTitle?: string;
      readonly parentCallId?: string;
      /** The call's output is the assistant's message. */
      readonly final?: true;
      /** Its tool is hidden: clients of the APIs do not see the call. */
      readonly hidden?: true;
      /** The arguments as the model wrote them. */
      readonly argumentsText: string;
      /** Resolved and validated; absent if the call is invalid. */
      readonly args?: JsonObject;
      readonly repairs: readonly string[];
    }
  | {
      readonly type: "approval.requested";
      readonly callId: string;
      readonly approval: ApprovalRequest;
    }
  | {
      readonly type: "approval.answered";
      readonly callId: string;
      readonly approvalId: string;
      readonly at: number;
      readonly decision: CallDecision;
      readonly args?: JsonObject;
    }
  /** A client's call is open until its output is submitted. */
  | { readonly type: "client_call.waiting"; readonly callId: string }
  | { readonly type: "call.started"; readonly callId: string; readonly at: number }
  | { readonly type: "call.progress"; readonly callId: string; readonly progress: Progress }
  | {
      readonly type: "call.event";
      readonly callId: string;
      readonly name: string;
      readonly data: JsonValue;
    }
  /**
   * The call ran, and a user must review its result before anyone else sees it. The event contains
   * nothing of the result.
   */
  | { readonly type: "review.requested"; readonly callId: string; readonly review: ReviewNotice }
  | ({
      readonly type: "review.answered";
      readonly callId: string;
      readonly reviewId: string;
      readonly at: number;
    } & ReviewOutcome)
  | {
      readonly type: "call.settled";
      readonly callId: string;
      readonly at: number;
      readonly status: SettledStatus;
      readonly result: CallResult;
    }
  /** No more tools are offered: the model is asked for its final answer. */
  | ({ readonly type: "limit.reached"; readonly at: number } & ReachedLimit)
  /** The chain waits for a user or a client, and may resume. */
  | { readonly type: "chain.waiting"; readonly at: number; readonly callIds: readonly string[] }
  | {
      readonly type: "chain.ended";
      readonly at: number;
      readonly status: Exclude<ChainStatus, "running" | "requires_action">;
      readonly error?: ChainError;
      readonly usage: Usage;
      readonly stats: ChainStats;
    };
