import type { ApprovalRequest } from "../../policy/approval.ts";
import type { ReviewNotice } from "../../policy/review.ts";
import type { ContentPart } from "../../model/content-part.ts";
import type { ToolErrorData } from "../../base/tool-error.ts";
import type { CallTokens } from "../../tool/tool-result.ts";
import type { CallRecord } from "./call-record.ts";

interface SettledResult {
  readonly callId: string;
  /** `group.Tool`, where the tool was found. */
  readonly toolId?: string;
  /** What the model reads. */
  readonly finalText: string;
  readonly tokens: CallTokens;
  /** Milliseconds of running time, waiting for a person not counted. */
  readonly durationMs: number;
  /** `data` as text, uncut. */
  readonly formattedText?: string;
  readonly isTruncated?: boolean;
  /** The variables that hold the result and the arguments: `{tool}_{n}`, `{tool}_{n}_args`. */
  readonly cacheVarResult?: string;
  readonly cacheVarArgs?: string;
  /** Pictures, files and links. */
  readonly parts?: readonly ContentPart[];
}

/** What became of a call: a union by `status`. */
export type ToolExecuteResult =
  | (SettledResult & { readonly status: "success"; readonly data: unknown })
  | (SettledResult & {
      readonly status: "error" | "timed_out" | "not_found" | "cancelled" | "outcome_unknown";
      readonly error: ToolErrorData;
    })
  | (SettledResult & {
      readonly status: "execution_rejected" | "result_rejected";
      readonly rejectReason: string;
      readonly error: ToolErrorData;
    })
  | {
      /** `executor.answerApproval(record, decision)` goes on. */
      readonly status: "pending";
      readonly waitsFor: "approval";
      readonly callId: string;
      readonly toolId: string;
      readonly approval: ApprovalRequest;
      readonly record: CallRecord;
    }
  | {
      /** It ran; `executor.settleReviewed(record, decision)` goes on. */
      readonly status: "pending";
      readonly waitsFor: "review";
      readonly callId: string;
      readonly toolId: string;
      readonly review: ReviewNotice;
      /** Holds the result in quarantine, for the reviewer alone. */
      readonly record: CallRecord;
    };
