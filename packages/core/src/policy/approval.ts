import type { JsonObject } from "../model/json.ts";
import type { ReviewAnswer, ReviewRequest } from "./review.ts";

/** A question to a person about one call, with what they need to answer it. Plain JSON. */
export interface ApprovalRequest {
  readonly id: string;
  readonly callId: string;
  readonly toolId: string;
  /** The tool's bare name and its group's title. */
  readonly toolName: string;
  readonly groupTitle: string;
  readonly description: string;
  /** Resolved and validated: what is shown is what runs. */
  readonly args: JsonObject;
  readonly argsDigest: string;
  readonly definitionDigest: string;
  /** Why it asks, in words. */
  readonly reason: string;
  /** A plain answer holds for exactly these arguments in this session (`ask-once`). */
  readonly remember: boolean;
  /** What "allow for this session" would cover, in words and as the key it is kept under. */
  readonly grant: GrantOffer;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

export interface GrantOffer {
  /** Undefined: every call of this tool. */
  readonly key?: string;
  /** What people read: `FetchWebPage: pages of example.org`. */
  readonly title: string;
}

/** `once` this call; `session` what the offer says, in this session; `always` the same in every session. */
export type ApprovalScope = "once" | "session" | "always";

export type ApprovalDecision =
  | {
      readonly decision: "allow";
      /** @default "once" */
      readonly scope?: ApprovalScope;
      /** The arguments as a person changed them; validated again. */
      readonly arguments?: JsonObject;
    }
  | {
      readonly decision: "refuse";
      readonly reason?: string;
      /** `system`: nobody answered, or nobody could be asked. Holds for this call alone. @default "person" */
      readonly by?: "person" | "system";
    };

/** How a library user answers; `pending` means that the answer comes later. */
export interface ApprovalAdapter {
  request(request: ApprovalRequest, signal: AbortSignal): ApprovalAnswer | Promise<ApprovalAnswer>;
  /** Shows a result to a person before the model sees it. Without this, such results are withheld. */
  review?(request: ReviewRequest, signal: AbortSignal): ReviewAnswer | Promise<ReviewAnswer>;
}

export type ApprovalAnswer = ApprovalDecision | { readonly decision: "pending" };
