import type { GrantOffer } from "../tool/permission.ts";
import type { JsonObject } from "../base/json.ts";
import type { ArgumentConditions } from "../arguments/argument-conditions.ts";
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
  /** What a wider answer covers where it says nothing else. Absent: a rule asks every time, and an answer is for this call alone. */
  readonly grant?: GrantOffer;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly expiresAt: number;
  /** For whom the call is made. */
  readonly principalId: string;
}

/** `once` this call; `session` in this session; `always` in every session. */
export type ApprovalScope = "once" | "session" | "always";

/** Which calls a wider answer is for. */
export type GrantCover =
  /** As the request's `grant` says. */
  | { readonly type: "offer" }
  | { readonly type: "arguments" }
  | { readonly type: "pattern"; readonly when: ArgumentConditions }
  | { readonly type: "tool" };

export type ApprovalDecision =
  | {
      readonly decision: "allow";
      /** @default "once" */
      readonly scope?: ApprovalScope;
      /** For `session` and `always`. @default { type: "offer" } */
      readonly covers?: GrantCover;
      /** When a wider answer ends; ms since the epoch. @default never */
      readonly expiresAt?: number;
      /** The arguments as a person changed them; validated again. They are for this call alone. */
      readonly arguments?: JsonObject;
      /** `grant`: an answer to another question covers this one. @default "person" */
      readonly by?: "person" | "grant";
    }
  | {
      readonly decision: "refuse";
      readonly reason?: string;
      /** `system`: nobody answered, or nobody could be asked. Holds for this call alone. @default "person" */
      readonly by?: "person" | "system";
    };

/** How a library user answers; `pending` means that the answer comes later. */
export interface ApprovalAdapter {
  /** `signal` aborts where the answer is not wanted any more; its reason is what was decided instead. */
  request(
    request: ApprovalRequest,
    signal: AbortSignal,
    check: AnswerCheck,
  ): ApprovalAnswer | Promise<ApprovalAnswer>;
  /** Shows a result to a person before the model sees it. Without this, such results are withheld. */
  review?(request: ReviewRequest, signal: AbortSignal): ReviewAnswer | Promise<ReviewAnswer>;
}

/** Why an answer cannot be taken, so that a person can give another; undefined where it can. */
export type AnswerCheck = (
  decision: ApprovalDecision,
) => string | undefined | Promise<string | undefined>;

export type ApprovalAnswer = ApprovalDecision | { readonly decision: "pending" };

/**
 * Adds `argsDigest` to a request, computed when it is read: hashing costs more than most of the gate.
 *
 * @param digest returns the digest of the request's arguments
 */
export function withArgsDigest<Plain extends object>(
  plain: Plain,
  digest: () => string,
): Plain & Pick<ApprovalRequest, "argsDigest"> {
  return Object.defineProperty(plain, "argsDigest", { enumerable: true, get: digest }) as Plain &
    Pick<ApprovalRequest, "argsDigest">;
}
