import type { ApprovalRequest, ContentPart, GrantCover, JsonObject } from "@capstan/core";
import type { ReviewNotice } from "@capstan/core/host";
import type { VisibleArgument, VisiblePart } from "@capstan/core/text";

/** A request to the user for an approval of a call or a review of its result. */
export type ApprovalView = ExecutionApprovalView | ResultApprovalView;

interface OfRun {
  readonly object: "approval";
  readonly run: string;
  readonly conversation: string | null;
  /** When it was answered, withdrawn or expired, in ms since the epoch. */
  readonly answered_at?: number;
  /** The connected program that made the call, such as `codex`. @default the user's own call */
  readonly program?: string;
}

/** `GET /v1/approvals/{id}` returns up to 50,000 characters of `shown`; lists omit it. */
export interface ExecutionApprovalView extends ApprovalRequest, OfRun {
  readonly kind: "execution";
  readonly shown?: ShownApproval;
  readonly status: "pending" | "allowed" | "refused" | "expired" | "cancelled";
}

/**
 * The texts of a request as users must see them. Display the text of each part, and display marks
 * so that no text can imitate one, as the page and the terminal do.
 */
export interface ShownApproval {
  readonly toolName: readonly VisiblePart[];
  readonly groupTitle: readonly VisiblePart[];
  readonly description: readonly VisiblePart[];
  readonly reason: readonly VisiblePart[];
  /** The calls that a wider answer covers. */
  readonly grant?: readonly VisiblePart[];
  readonly arguments: readonly VisibleArgument[];
  /** For a review: the requested slice of the result, and the preview of the model's text. */
  readonly result?: readonly VisiblePart[];
  readonly resultForModel?: readonly VisiblePart[];
}

/**
 * `GET /v1/approvals/{id}` includes `args`, `result` and `shown` while the review is pending; lists
 * omit them.
 */
export interface ResultApprovalView extends ReviewNotice, OfRun {
  readonly kind: "result";
  readonly status:
    | "pending"
    | "released"
    | "redacted"
    | "replaced"
    | "withheld"
    | "expired"
    | "cancelled";
  /** The reason why the user withheld the result. */
  readonly answer_reason?: string;
  readonly args?: JsonObject;
  readonly result?: ReviewedResult;
  readonly shown?: ShownApproval;
}

/** A result for its reviewer. The request's `start` and `length` choose a slice of the text. */
export interface ReviewedResult {
  readonly text: string;
  readonly start: number;
  /** The length of the whole text, in characters. */
  readonly total: number;
  /** The text that the model would get. */
  readonly shown: string;
  /** Images, files and links that the model would get with it. */
  readonly parts: readonly ReviewedPart[];
}

/** A content part. If its data are too large to send, it has their size instead. */
export type ReviewedPart =
  | ContentPart
  | {
      readonly type: "omitted";
      readonly of: "image" | "file";
      readonly mimeType: string;
      readonly bytes: number;
    };

/** `POST /v1/approvals/{id}`. A second answer gets the outcome of the first. */
export type ApprovalAnswerBody = ExecutionAnswerBody | ReviewAnswerBody;

/** The answer to an approval request. */
export interface ExecutionAnswerBody {
  readonly decision: "allow" | "refuse";
  /** @default "once" */
  readonly scope?: "once" | "session" | "always";
  readonly reason?: string;
  /** The author of a refusal: `system` if no user could be asked. @default "person" */
  readonly by?: "person" | "system";
  /** The calls that a scope of `session` or `always` covers. @default { type: "offer" } */
  readonly covers?: GrantCover;
  /** When such an answer expires, in ms since the epoch. @default never */
  readonly expiresAt?: number;
  /** The user's changed arguments, for this call only. */
  readonly arguments?: { readonly [key: string]: unknown };
}

/** The answer to a review request. */
export type ReviewAnswerBody =
  | { readonly decision: "release" }
  /** Removes the words. Each of them must occur in the result. */
  | { readonly decision: "redact"; readonly words: readonly string[] }
  | { readonly decision: "replace"; readonly text: string }
  | {
      readonly decision: "withhold";
      readonly reason?: string;
      /** `system` if no user could be asked. @default "person" */
      readonly by?: "person" | "system";
    };

/** `POST /v1/approvals/{id}/preview`, with the body of an answer. It decides nothing. */
export interface ReviewPreview {
  readonly object: "review_preview";
  /** The text that the model would get after this answer. */
  readonly shown: string;
}
