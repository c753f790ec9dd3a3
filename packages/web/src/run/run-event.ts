import type { RunEvent } from "@capstan/contract";

/** The event with a given type: `RunEventOf<"call.settled">`. */
export type RunEventOf<Type extends RunEvent["type"]> = Extract<RunEvent, { readonly type: Type }>;

export type CallResult = RunEventOf<"call.settled">["result"];
export type SettledStatus = RunEventOf<"call.settled">["status"];
export type CallDecision = RunEventOf<"approval.answered">["decision"];
export type ApprovalRequest = RunEventOf<"approval.requested">["approval"];
export type ReviewNotice = RunEventOf<"review.requested">["review"];
export type ReviewOutcome = Pick<RunEventOf<"review.answered">, "outcome" | "by" | "reason">;
export type Progress = RunEventOf<"call.progress">["progress"];
export type Usage = RunEventOf<"round.ended">["usage"];
export type ChainError = NonNullable<RunEventOf<"chain.ended">["error"]>;
export type ChainStats = RunEventOf<"chain.ended">["stats"];
export type Arguments = ApprovalRequest["args"];
