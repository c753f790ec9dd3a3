import type { CallRecord } from "@capstan/core";

/** Whether nobody knows, or has said yet, whether a call happened: a person is asked. */
export function lacksOutcome({ status, found }: Pick<CallRecord, "status" | "found">): boolean {
  return status === "outcome_unknown" && found === undefined;
}
