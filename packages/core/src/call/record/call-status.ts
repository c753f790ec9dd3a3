import type { SettledStatus } from "../../tool/tool-result.ts";
import type { ToolErrorData } from "../../base/errors.ts";
import { shortJson } from "../../json/short-json.ts";
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

/** An error as a model reads it. */
export function errorText(error: ToolErrorData): string {
  const details = error.details === undefined ? "" : `\n${shortJson(error.details, 2_000)}`;
  const retry = error.retryable === true ? `\nThe same call may succeed ${whenOf(error)}.` : "";
  return `Error (${error.code}): ${error.message}${details}${retry}`;
}

function whenOf({ retryAfterMs }: ToolErrorData): string {
  return retryAfterMs === undefined ? "later" : `in ${Math.ceil(retryAfterMs / 1000)} s`;
}

/** A result that a person withheld, as a model reads it. */
export function withheldText(reason: string): string {
  return `It ran, but its result was withheld from you: ${reason.replace(/\.$/, "")}. Do without it; do not run it again to see it.`;
}

/** A refusal as a model reads it. */
export function rejectionText(
  { decision }: { readonly decision?: { readonly by: string } },
  reason: string,
): string {
  const who = decision?.by === "person" ? "The user refused this call" : "This call is not allowed";
  return `${who}: ${reason.replace(/\.$/, "")}. It was not run. Heed the reason; do not try the same again.`;
}
