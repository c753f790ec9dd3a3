import type { CallStatus } from "@capstan/core/host";

const unsettled: ReadonlySet<CallStatus> = new Set<CallStatus>([
  "proposed",
  "approved",
  "started",
  "waiting",
  "in_review",
]);

/** Whether a call has not ended. The opposite of core's `isSettled`, which the writer's thread does not load. */
export function isUnsettled(status: CallStatus): boolean {
  return unsettled.has(status);
}
