import type { ApprovalRequest } from "../../policy/approval.ts";
import type { ReviewNotice } from "../../policy/review.ts";
import type { SettledToolResult } from "../../tool/tool-result.ts";
import type { CallRecord } from "./call-record.ts";

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
