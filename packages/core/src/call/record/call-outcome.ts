import type { Truncated } from "../../text/truncate.ts";
import type { ToolErrorData } from "../../base/errors.ts";
import type { CallRetry, CallRecord } from "./call-record.ts";
import type { JsonValue } from "../../base/json.ts";
import type { Annotation } from "../../model/annotation.ts";
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
  /** Attempts that failed before the last one. */
  readonly retries?: readonly CallRetry[];
}

interface Stopped extends Ended {
  /** The tool was still running when the call was settled. */
  readonly leftBehind?: true;
  /** The end of the output that the tool wrote before it was stopped. */
  readonly output?: string;
}

/** How an executed call ended, before a user has reviewed its result. */
export type DraftOutcome =
  | { readonly status: "success"; readonly data: unknown }
  | { readonly status: "error" | "timed_out" | "cancelled"; readonly error: ToolErrorData };

/** How a tool ended: the result of the second segment. */
export type ToolOutcome =
  | (Ended & {
      readonly status: "returned";
      readonly value: unknown;
      /**
       * The text of the result: a final tool's output, or the text that the tool returned with its
       * data.
       */
      readonly text?: string;
      /** Not checked yet. */
      readonly annotations?: unknown;
    })
  | (Ended & { readonly status: "failed"; readonly error: ToolErrorData })
  | (Stopped & { readonly status: "timed_out"; readonly timeoutMs: number })
  /** Stopped from outside. The tool may have acted. */
  | (Stopped & { readonly status: "cancelled"; readonly reason: string });

/**
 * The value that a tool returned, as text and as data, or the reason why it cannot be formatted.
 */
export type Formatted =
  | {
      readonly status: "formatted";
      readonly text: string;
      readonly data?: JsonValue;
      readonly parts?: readonly ContentPart[];
      readonly annotations?: readonly Annotation[];
      /** The text that a final tool wrote next to its parts. */
      readonly written?: string;
    }
  | { readonly status: "failed"; readonly message: string };

/** A tool's value that could be formatted. */
export type FormattedText = Extract<Formatted, { readonly status: "formatted" }>;

/** A result before its review: its content, and the text for the model. */
export interface DraftResult {
  readonly end: DraftOutcome;
  readonly formatted: FormattedText;
  readonly cut: Truncated;
  readonly durationMs: number;
}

/** A call that has ended: its row, and the result for its caller. */
export interface SettledCall {
  readonly status: "settled";
  readonly record: CallRecord;
  readonly result: SettledToolResult;
}

/** A call that ran and whose result a user must review first. Its record is enough to settle it. */
export interface CallInReview {
  readonly record: CallRecord;
  readonly registered: RegisteredTool;
  readonly request: ReviewRequest;
}

/** A call that ran: it has ended, or a user must review its result first. */
export type SettleOutcome = SettledCall | ({ readonly status: "in_review" } & CallInReview);

/** Characters of a result that its row and the log store. */
export const previewChars = 200;

/** The result of a call that waits for a user. */
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
      /** Contains the result in quarantine, which only the reviewer may read. */
      readonly record: CallRecord;
    };

/** The result of `ToolExecutor.execute`: the call has ended, or waits for a user. */
export type ToolExecuteResult = SettledToolResult | PendingToolResult;

/**
 * A result that only its reviewer may read. It is plain JSON, and enough for another process to
 * settle the call. The call's row contains it while the review is pending.
 */
export interface Quarantine {
  readonly end:
    | {
        readonly status: "success";
        /** The returned text, if the tool formats it differently for the model. */
        readonly value?: string;
      }
    | Exclude<DraftOutcome, { readonly status: "success" }>;
  readonly formatted: FormattedText;
  readonly cut: Truncated;
  readonly durationMs: number;
  /** Failed attempts contain error texts, which belong to the result. */
  readonly retries?: readonly CallRetry[];
}

/** Returns the review request of a call in quarantine, or `undefined` for any other call. */
export function reviewRequestOf({
  review,
  quarantine,
  args = {},
}: Pick<CallRecord, "review" | "quarantine" | "args">): ReviewRequest | undefined {
  if (review === undefined || quarantine === undefined) return undefined;
  const { formatted, cut } = quarantine;
  const { text, parts, annotations } = formatted;
  const shown = neutraliseOutside(cut.text);
  return {
    ...review,
    args,
    text,
    shown,
    ...(parts !== undefined && { parts }),
    ...(annotations !== undefined && { annotations }),
  };
}
