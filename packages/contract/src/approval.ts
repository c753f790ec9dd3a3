import type { ApprovalRequest, ContentPart, GrantCover, JsonObject } from "@capstan/core";
import type { ReviewNotice } from "@capstan/core/host";
import type { VisibleArgument, VisiblePart } from "@capstan/core/text";

/** A question to a person: may a call run, or may its result be seen? */
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
 * The texts of a question as a person must see them: show the text of each part, and the marks so
 * that no text can pass for one. The page and the terminal show the same.
 */
export interface ShownApproval {
  readonly toolName: readonly VisiblePart[];
  readonly groupTitle: readonly VisiblePart[];
  readonly description: readonly VisiblePart[];
  readonly reason: readonly VisiblePart[];
  /** What a wider answer covers. */
  readonly grant?: readonly VisiblePart[];
  readonly arguments: readonly VisibleArgument[];
  /** Of a result: the requested slice of its text, and what the model would get of it. */
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
  /** Why it was withheld. */
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
  /** What the model would get of it. */
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

/** `POST /v1/approvals/{id}`. A second answer gets the first one's outcome. */
export type ApprovalAnswerBody = ExecutionAnswerBody | ReviewAnswerBody;

/** What a call's question takes. */
export interface ExecutionAnswerBody {
  readonly decision: "allow" | "refuse";
  /** @default "once" */
  readonly scope?: "once" | "session" | "always";
  readonly reason?: string;
  /** Of a refusal: `system` where nobody could be asked, so that no person is said to have refused. @default "person" */
  readonly by?: "person" | "system";
  /** Which calls a scope of `session` or `always` is for. @default { type: "offer" } */
  readonly covers?: GrantCover;
  /** When such an answer ends; ms since the epoch. @default never */
  readonly expiresAt?: number;
  /** The arguments as a person changed them; for this call alone. */
  readonly arguments?: { readonly [key: string]: unknown };
}

/** What a result's question takes. */
export type ReviewAnswerBody =
  | { readonly decision: "release" }
  /** Each of the words must occur in the result. */
  | { readonly decision: "redact"; readonly words: readonly string[] }
  | { readonly decision: "replace"; readonly text: string }
  | {
      readonly decision: "withhold";
      readonly reason?: string;
      /** `system` where nobody could be asked. @default "person" */
      readonly by?: "person" | "system";
    };

/** `POST /v1/approvals/{id}/preview`, with the body of an answer: nothing is decided by it. */
export interface ReviewPreview {
  readonly object: "review_preview";
  /** What the model would get after this answer. */
  readonly shown: string;
}
