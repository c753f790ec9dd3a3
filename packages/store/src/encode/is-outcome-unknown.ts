import type { CallRecord } from "@capstan/core";

/** Whether a call's outcome is unknown and no user has set it yet. */
export function isOutcomeUnknown({ status, found }: Pick<CallRecord, "status" | "found">): boolean {
  return status === "outcome_unknown" && found === undefined;
}
