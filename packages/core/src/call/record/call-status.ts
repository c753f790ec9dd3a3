import type { SettledStatus } from "../../tool/tool-result.ts";
import type { ToolErrorData } from "../../base/errors.ts";
import { shortJson } from "../../json/short-json.ts";
/** The state of a call, as the ledger stores it. */
export type CallStatus =
  | "proposed"
  | "approved"
  | "started"
  | "waiting"
  /** It ran, and waits until a user has reviewed its result. */
  | "in_review"
  | "succeeded"
  | "failed"
  | "timed_out"
  | "execution_rejected"
  | "result_rejected"
  | "not_found"
  | "cancelled"
  | "outcome_unknown";

/** The status of a call's result; `pending` until the call has ended. */
export type ResultStatus = "pending" | SettledStatus;

/** Maps each stored state to a result status. All layers use this table. */
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

/** Maps the status of a result to the state that the ledger stores. */
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

/** Returns whether a call in this state has ended. */
export function isSettled(status: CallStatus): boolean {
  return resultStatusOf[status] !== "pending";
}

/** Returns an error's text for the model. */
export function errorText(error: ToolErrorData): string {
  const details = error.details === undefined ? "" : `\n${shortJson(error.details, 2_000)}`;
  const retry = error.retryable === true ? `\nThe same call may succeed ${retryTime(error)}.` : "";
  return `Error (${error.code}): ${error.message}${details}${retry}`;
}

function retryTime({ retryAfterMs }: ToolErrorData): string {
  return retryAfterMs === undefined ? "later" : `in ${Math.ceil(retryAfterMs / 1000)} s`;
}

/** Returns the text for the model in place of a result that a user withheld. */
export function withheldText(reason: string): string {
  return `It ran, but its result was withheld from you: ${reason.replace(/\.$/, "")}. Do without it; do not run it again to see it.`;
}

/** Returns a rejection's text for the model. */
export function rejectionText(
  { decision }: { readonly decision?: { readonly by: string } },
  reason: string,
): string {
  const subject =
    decision?.by === "person" ? "The user denied this call" : "This call is not allowed";
  return `${subject}: ${reason.replace(/\.$/, "")}. It was not run. Respect the reason; do not repeat the call.`;
}
