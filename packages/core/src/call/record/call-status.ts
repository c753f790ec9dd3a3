import type { SettledStatus } from "../../tool/tool-result.ts";
/** Where a call is in its life, as the ledger keeps it. */
export type CallStatus =
  | "proposed"
  | "approved"
  | "started"
  | "waiting"
  /** It ran, and a person must see its result first. */
  | "in_review"
  | "succeeded"
  | "failed"
  | "timed_out"
  | "execution_rejected"
  | "result_rejected"
  | "not_found"
  | "cancelled"
  | "outcome_unknown";

/** The status of a call in the result of `execute`. */
export type ResultStatus = "pending" | SettledStatus;

/** The one table from ledger to result; every layer maps through it. */
export const resultStatusOf: { readonly [status in CallStatus]: ResultStatus } = {
  proposed: "pending",
  approved: "pending",
  started: "pending",
  waiting: "pending",
  in_review: "pending",
  succeeded: "success",
  failed: "error",
  timed_out: "timed_out",
  execution_rejected: "execution_rejected",
  result_rejected: "result_rejected",
  not_found: "not_found",
  cancelled: "cancelled",
  outcome_unknown: "outcome_unknown",
};

/** The other way, for a call that is settled. */
export const callStatusOf: { readonly [status in SettledStatus]: CallStatus } = {
  success: "succeeded",
  error: "failed",
  timed_out: "timed_out",
  execution_rejected: "execution_rejected",
  result_rejected: "result_rejected",
  not_found: "not_found",
  cancelled: "cancelled",
  outcome_unknown: "outcome_unknown",
};

export function isSettled(status: CallStatus): boolean {
  return resultStatusOf[status] !== "pending";
}
