import type { CallStatus } from "@capstan/core/host";

const underWay: ReadonlySet<CallStatus> = new Set<CallStatus>([
  "proposed",
  "approved",
  "started",
  "waiting",
  "in_review",
]);

/** Whether a call has not ended. `isSettled` of the core says the same; the writer's thread loads no other package. */
export function isUnderWay(status: CallStatus): boolean {
  return underWay.has(status);
}
