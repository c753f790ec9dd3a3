import type { ReviewRequest, ReviewNotice } from "../../policy/review.ts";
import type { RegisteredTool } from "../../tool/registry.ts";
import type { CallRecord } from "./call-record.ts";
import type { SettledToolResult } from "../../tool/tool-result.ts";
import type { ApprovalRequest } from "../../policy/approval.ts";

/** A call that has ended: its row, and what its caller gets. */
export interface SettledCall {
  readonly status: "settled";
  readonly record: CallRecord;
  readonly result: SettledToolResult;
}

/** A call that ran and whose result a person must see first. Its record is enough to settle it. */
export interface CallInReview {
  readonly record: CallRecord;
  readonly registered: RegisteredTool;
  readonly request: ReviewRequest;
}

/** A call that ran: it has ended, or a person must see its result first. */
export type SettleOutcome = SettledCall | ({ readonly status: "in_review" } & CallInReview);

/** Characters of a result that its row and the log keep. */
export const previewChars = 200;

/** The result of a call that waits for a person. */
export type PendingToolResult =
  | {
      /** Continue with `executor.answerApproval(record, decision)`. */
      readonly status: "pending";
      readonly waitsFor: "approval";
      readonly callId: string;
      readonly toolId: string;
      readonly approval: ApprovalRequest;
      readonly record: CallRecord;
    }
  | {
      /** The tool ran. Continue with `executor.settleReviewed(record, decision)`. */
      readonly status: "pending";
      readonly waitsFor: "review";
      readonly callId: string;
      readonly toolId: string;
      readonly review: ReviewNotice;
      /** Holds the result in quarantine, for the reviewer alone. */
      readonly record: CallRecord;
    };

/** The result of `execute`: a union by `status`. */
export type ToolExecuteResult = SettledToolResult | PendingToolResult;
