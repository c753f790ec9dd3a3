import type { ChainResultRecord } from "@capstan/core";
import type { RunStatus } from "../contract/run.ts";

/** Every legal transition of a run. A status without any is for good. */
export const transitions: { readonly [from in RunStatus]: readonly RunStatus[] } = {
  queued: ["in_progress", "cancelled", "expired", "failed"],
  /** Back to `queued`: a server that stops hands its runs back. */
  in_progress: [
    "requires_action",
    "queued",
    "completed",
    "incomplete",
    "failed",
    "cancelled",
    "expired",
  ],
  requires_action: ["in_progress", "queued", "cancelled", "expired", "failed"],
  completed: [],
  incomplete: [],
  failed: [],
  cancelled: [],
  expired: [],
};

export type Transition =
  | { readonly status: "allowed" }
  | { readonly status: "refused"; readonly reason: string };

/** Whether a run may go from one status to another; a refusal is a value that says what was possible. */
export function transition(from: RunStatus, to: RunStatus): Transition {
  if (transitions[from].includes(to)) return { status: "allowed" };
  const possible = transitions[from].join(", ");
  const rest = possible === "" ? "it has ended" : `it may become ${possible}`;
  return { status: "refused", reason: `A run that is ${from} cannot become ${to}: ${rest}.` };
}

/** Whether a run in this status has ended. */
export function isClosing(status: RunStatus): boolean {
  return transitions[status].length === 0;
}

/** The status of a run whose chain stopped with this result, where the service does not say otherwise. */
export function runStatusOf(result: Pick<ChainResultRecord, "status" | "finishReason">): RunStatus {
  switch (result.status) {
    case "requires_action":
      return "requires_action";
    case "completed":
      return result.finishReason === "length" || result.finishReason === "content_filter"
        ? "incomplete"
        : "completed";
    case "aborted":
      return "cancelled";
    case "timeout":
      return "expired";
    case "error":
      return "failed";
  }
}
