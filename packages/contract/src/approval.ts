import type { ApprovalRequest, ContentPart, GrantCover, JsonObject } from "@capstan/core";
import type { ReviewNotice } from "@capstan/core/host";
import type { VisibleArgument, VisiblePart } from "@capstan/core/text";

/** A request to the user: may a call run, or may the model see its result? */
export type ApprovalView = ExecutionApprovalView | ResultApprovalView;

interface OfRun {
  readonly object: "approval";
  readonly run: string;
  readonly conversation: string | null;
}

/** `GET /v1/approvals/{id}` has `shown` up to 50,000 characters; a list never has. */
export interface ExecutionApprovalView extends ApprovalRequest, OfRun {
  readonly kind: "execution";
  readonly shown?: ShownApproval;
  readonly status: "pending" | "allowed" | "refused" | "expired" | "cancelled";
}

/**
 * The texts of a request as the user must see them: show the text of each part, and show marks so
 * that no text can look like one. The page and the terminal show the same.
 */
export interface ShownApproval {
  readonly toolName: readonly VisiblePart[];
  readonly groupTitle: readonly VisiblePart[];
  readonly description: readonly VisiblePart[];
  readonly reason: readonly VisiblePart[];
  /** The calls that a wider answer covers. */
  readonly grant?: readonly VisiblePart[];
  readonly arguments: readonly VisibleArgument[];
  /** Of a result: the requested slice of its text, and the preview of the model's text. */
  readonly result?: readonly VisiblePart[];
  readonly resultForModel?: readonly VisiblePart[];
}

/** `GET /v1/approvals/{id}` has `args`, `result` and `shown` while it is pending; a list never has. */
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
  /** The reason why it was withheld. */
  readonly answer_reason?: string;
  readonly args?: JsonObject;
  readonly result?: ReviewedResult;
  readonly shown?: ShownApproval;
}

/** A result for its reviewer. `start` and `length` of the request choose a slice of the text. */
export interface ReviewedResult {
  readonly text: string;
  readonly start: number;
  /** Characters of the whole text. */
  readonly total: number;
  /** The text that the model would get. */
  readonly shown: string;
  /** Pictures, files and links that the model would get with it. */
  readonly parts: readonly ReviewedPart[];
}

/** A part whose data are too large to be sent along has their size instead. */
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
  /** The author of a refusal: `system` if there was no user to ask. @default "person" */
  readonly by?: "person" | "system";
  /** Which calls a scope of `session` or `always` is for. @default { type: "offer" } */
  readonly covers?: GrantCover;
  /** The end of such an answer, in ms since the epoch. @default never */
  readonly expiresAt?: number;
  /** The user's changed arguments, for this call only. */
  readonly arguments?: { readonly [key: string]: unknown };
}

/** The answer to a review request. */
export type ReviewAnswerBody =
  | { readonly decision: "release" }
  /** Each of the words must occur in the result. */
  | { readonly decision: "redact"; readonly words: readonly string[] }
  | { readonly decision: "replace"; readonly text: string }
  | {
      readonly decision: "withhold";
      readonly reason?: string;
      /** `system` if there was no user to ask. @default "person" */
      readonly by?: "person" | "system";
    };

/** `POST /v1/approvals/{id}/preview`, with the body of an answer: nothing is decided by it. */
export interface ReviewPreview {
  readonly object: "review_preview";
  /** The text that the model would get after this answer. */
  readonly shown: string;
}
