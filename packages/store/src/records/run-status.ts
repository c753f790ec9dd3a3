import type { ChainResultRecord } from "@capstan/core/host";
import type { RunStatus } from "@capstan/contract";

/** Where a run rests: nobody works on it, and it has not ended. */
export type RestingStatus = Extract<RunStatus, "queued" | "requires_action">;

/**
 * Every legal transition of a run, from `none`, where it is not there yet. A status without any is
 * for good. Whoever ends a run claims it first and writes its closing event, so only what is in
 * progress ends; that it ends once follows.
 */
export const transitions: { readonly [from in RunStatus | "none"]: readonly RunStatus[] } = {
  /** `completed`: a person changed variables between two turns, and nothing runs. */
  none: ["queued", "in_progress", "completed"],
  queued: ["in_progress"],
  in_progress: [
    /** Taken over by another process, or anew: the same status in the next epoch. */
    "in_progress",
    "requires_action",
    /** A server that stops hands its runs back. */
    "queued",
    "completed",
    "incomplete",
    "failed",
    "cancelled",
    "expired",
  ],
  /** Claimed or queued in the commit of the answer with which it can go on. */
  requires_action: ["in_progress", "queued"],
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
export function transition(from: RunStatus | "none", to: RunStatus): Transition {
  if (transitions[from].includes(to)) return { status: "allowed" };
  const possible = transitions[from].join(", ");
  const rest = possible === "" ? "it has ended" : `it may become ${possible}`;
  const what = from === "none" ? "A new run" : `A run that is ${from}`;
  return { status: "refused", reason: `${what} cannot become ${to}: ${rest}.` };
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
