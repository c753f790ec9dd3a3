import type { ChainResultRecord } from "@capstan/core/host";
import type { RunStatus } from "@capstan/contract";

/** The statuses of a run that no process works on and that has not ended. */
export type RestingStatus = Extract<RunStatus, "queued" | "requires_action">;

/**
 * Every legal transition of a run; `none` is the status before it exists. A status without
 * transitions is final. A process claims a run before it ends it and writes the closing event. So
 * only runs in progress end, and each run ends once.
 */
export const transitions: { readonly [from in RunStatus | "none"]: readonly RunStatus[] } = {
  /** `completed`: a user changed variables between two turns, and nothing runs. */
  none: ["queued", "in_progress", "completed"],
  queued: ["in_progress"],
  in_progress: [
    /** Claimed again, by this or another process: the same status in the next epoch. */
    "in_progress",
    "requires_action",
    /** A stopping server returns its runs to the queue. */
    "queued",
    "completed",
    "incomplete",
    "failed",
    "cancelled",
    "expired",
  ],
  /** Claimed or queued in the commit of the answer that lets it resume. */
  requires_action: ["in_progress", "queued"],
  completed: [],
  incomplete: [],
  failed: [],
  cancelled: [],
  expired: [],
};

/** Whether a transition is legal. */
export type Transition =
  | { readonly status: "allowed" }
  | { readonly status: "refused"; readonly reason: string };

/** Returns the new status of a run, or a rejection that lists the possible statuses. */
export function transition(from: RunStatus | "none", to: RunStatus): Transition {
  if (transitions[from].includes(to)) return { status: "allowed" };
  const possible = transitions[from].join(", ");
  const rest = possible === "" ? "it has ended" : `it may become ${possible}`;
  const what = from === "none" ? "A new run" : `A run that is ${from}`;
  return { status: "refused", reason: `${what} cannot become ${to}: ${rest}.` };
}

/** Returns a stored status, or `failed` if its row is corrupt and holds no status. */
export function readableStatus(stored: RunStatus): RunStatus {
  return Object.hasOwn(transitions, stored) ? stored : "failed";
}

/** Returns whether a run in this status has ended. */
export function isClosing(status: RunStatus): boolean {
  return transitions[status].length === 0;
}

/**
 * Returns the status of a run whose chain stopped with this result, unless the service sets
 * another.
 */
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
