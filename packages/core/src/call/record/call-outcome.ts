import type { Truncated } from "../../text/truncate.ts";
import type { ToolErrorData } from "../../base/errors.ts";
import type { CallRetry, CallRecord } from "./call-record.ts";
import type { JsonValue } from "../../base/json.ts";
import type { ContentPart } from "../../model/content-part.ts";
import type { ReviewRequest, ReviewNotice } from "../../policy/review.ts";
import type { RegisteredTool } from "../../tool/registry.ts";
import type { SettledToolResult } from "../../tool/tool-result.ts";
import type { ApprovalRequest } from "../../policy/approval.ts";
import { neutraliseOutside } from "../../text/neutralise.ts";

interface Ended {
  readonly durationMs: number;
  /** Ms since the epoch. */
  readonly endedAt: number;
  /** Tries that failed before the last one. */
  readonly retries?: readonly CallRetry[];
}

interface Stopped extends Ended {
  /** The tool had not ended when it was given up. */
  readonly leftBehind?: true;
}

/** How a call that ran ended, before a person has reviewed its result. */
export type DraftOutcome =
  | { readonly status: "success"; readonly data: unknown }
  | { readonly status: "error" | "timed_out" | "cancelled"; readonly error: ToolErrorData };

/** How a tool ended: the result of the second segment. */
export type ToolOutcome =
  | (Ended & {
      readonly status: "returned";
      readonly value: unknown;
      /** The text of its result: what a final tool wrote, or what came with the data. */
      readonly text?: string;
    })
  | (Ended & { readonly status: "failed"; readonly error: ToolErrorData })
  | (Stopped & { readonly status: "timed_out"; readonly timeoutMs: number })
  /** Stopped from outside. The tool may have acted. */
  | (Stopped & { readonly status: "cancelled"; readonly reason: string });

/** The value that a tool returned, as text and as data; or why it cannot be formatted. */
export type Formatted =
  | {
      readonly status: "formatted";
      readonly text: string;
      readonly data?: JsonValue;
      readonly parts?: readonly ContentPart[];
    }
  | { readonly status: "failed"; readonly message: string };

export type FormattedText = Extract<Formatted, { readonly status: "formatted" }>;

/** A result before anybody saw it: what it says, and what the model would be shown of it. */
export interface DraftResult {
  readonly end: DraftOutcome;
  readonly formatted: FormattedText;
  readonly cut: Truncated;
  readonly durationMs: number;
}

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
type PendingToolResult =
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

export type ToolExecuteResult = SettledToolResult | PendingToolResult;

/**
 * A result that nobody but its reviewer may read: plain JSON, enough for another process to settle
 * the call from. It is on the call's row while the review is due, and gone once the call is settled.
 */
export interface Quarantine {
  readonly end:
    | {
        readonly status: "success";
        /** What the tool returned, where that is a text that it shows in another form. */
        readonly value?: string;
      }
    | Exclude<DraftOutcome, { readonly status: "success" }>;
  readonly formatted: FormattedText;
  readonly cut: Truncated;
  readonly durationMs: number;
  /** Failed tries say what went wrong, which is the result's, too. */
  readonly retries?: readonly CallRetry[];
}

/** What the reviewer is shown of a call in quarantine; undefined for any other. */
export function reviewRequestOf({
  review,
  quarantine,
  args = {},
}: Pick<CallRecord, "review" | "quarantine" | "args">): ReviewRequest | undefined {
  if (review === undefined || quarantine === undefined) return undefined;
  const { formatted, cut } = quarantine;
  const { text, parts } = formatted;
  const shown = neutraliseOutside(cut.text);
  return { ...review, args, text, shown, ...(parts !== undefined && { parts }) };
}
