import type { JsonValue } from "../../base/json.ts";
import type { ContentPart } from "../../model/content-part.ts";
import type { ApprovalDecision, ApprovalRequest } from "../../policy/approval.ts";
import type { Grant } from "../../policy/grant.ts";
import type { ReviewDecision, ReviewRequest } from "../../policy/review.ts";
import type { RegisteredTool } from "../../tool/registry.ts";
import type { SettledToolResult } from "../../tool/tool-result.ts";
import type { Progress } from "../../tool/tool-context.ts";
import type { CallRecord } from "../record/call-record.ts";
import type { SettledCall } from "../record/call-outcome.ts";

/**
 * Stores the steps of calls and answers their requests. Implemented by an executor's ledger and a
 * chain's journal.
 */
export interface CallHost {
  /**
   * Stores a step before the call acts on it: `started` before the tool is called, the end before
   * the caller gets the result. A call has at most one commit in flight.
   *
   * @returns false if another process owns the call now; the call is then not started
   */
  commit(change: CallChange): boolean | Promise<boolean>;
  /**
   * Requests an answer for `call`. `later` means that the answer comes later: a call without a
   * parent is then suspended, and a sub-call keeps waiting because its parent waits for it. Both
   * continue with `call.answer`, which may also be called while this request is open.
   *
   * @param signal aborts when the answer is no longer needed
   */
  request(
    pending: PendingRequest,
    call: ActiveCall,
    signal: AbortSignal,
  ): Answer | "later" | Promise<Answer | "later">;
  onOutput(callId: string, output: CallOutputEvent): void;
}

/** A step of a call. `record` replaces the call's row. */
export type CallChange =
  | {
      readonly step: "proposed";
      readonly record: CallRecord;
      readonly approval?: ApprovalRequest | undefined;
    }
  | { readonly step: "answered"; readonly record: CallRecord; readonly answered: GivenApproval }
  | { readonly step: "started" | "in_review"; readonly record: CallRecord }
  | {
      readonly step: "settled";
      readonly record: CallRecord;
      readonly result: SettledToolResult;
      /**
       * The answer that ended the call, because it rejected the call or because the tool was
       * removed.
       */
      readonly answered?: GivenApproval | undefined;
    };

/** An answered approval request, and the grant that the answer created. */
export interface GivenApproval {
  readonly approvalId: string;
  readonly grant?: Grant | undefined;
}

/** A request that a call waits for: approval or review by a user, or a client's output. */
export type PendingRequest =
  | {
      readonly kind: "approval";
      readonly id: string;
      readonly record: CallRecord;
      readonly registered: RegisteredTool;
      readonly approval: ApprovalRequest;
    }
  | {
      readonly kind: "review";
      readonly id: string;
      readonly record: CallRecord;
      readonly registered: RegisteredTool;
      readonly request: ReviewRequest;
    }
  | { readonly kind: "output"; readonly id: string; readonly record: CallRecord };

/** The answer to a pending request of the same kind. */
export type Answer = ApprovalDecision | ReviewDecision | OutputAnswer;

/** The output of a client's call. */
export interface OutputAnswer {
  readonly output: string;
  readonly parts?: readonly ContentPart[] | undefined;
}

/** A call that has not ended. */
export interface ActiveCall {
  readonly callId: string;
  /** The request that the call waits for, or undefined if it waits for no answer. */
  readonly pending: PendingRequest | undefined;
  /** Answers the pending request. The first answer counts. Returns false if nothing is pending. */
  answer(answer: Answer): boolean;
  /** Stops the call in any state, its sub-calls first. Only the first reason counts. */
  stop(reason: string): void;
  /** Resolves when the call ends or is suspended. Never rejects. */
  readonly ended: Promise<unknown>;
}

/** Output of a running tool. */
export type CallOutputEvent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "progress"; readonly progress: Progress }
  | { readonly type: "event"; readonly name: string; readonly data: JsonValue };

/** The result of the first segment. The host stores `record`, and the tool gets its arguments. */
export type Proposal =
  | ApprovedProposal
  | {
      readonly status: "asks";
      readonly record: CallRecord;
      readonly registered: RegisteredTool;
      readonly approval: ApprovalRequest;
    }
  | SettledCall;

/** A proposal whose call may run. */
export interface ApprovedProposal {
  readonly status: "approved";
  readonly record: CallRecord;
  readonly registered: RegisteredTool;
}

/** A proposal that needs a user's approval. */
export type AskingProposal = Extract<Proposal, { readonly status: "asks" }>;

/** A proposal after a user's answer. */
export interface AnsweredProposal {
  readonly proposal: Exclude<Proposal, AskingProposal>;
  /** The grant that the answer creates; the gate's grant book already contains it. */
  readonly grant?: Grant;
}

/** Returns the pending request of a proposal that needs an approval. */
export function approvalRequest({ record, registered, approval }: AskingProposal): PendingRequest {
  return { kind: "approval", id: approval.id, record, registered, approval };
}
