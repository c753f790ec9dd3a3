import type { CallState } from "../run/call-state.ts";
import type { IconName } from "../shell/icon.tsx";

export type CallTone = "quiet" | "busy" | "asking" | "done" | "danger" | "warning";

/** How a call's state is shown: a word, a colour, a sign. */
export interface CallBadge {
  readonly status: string;
  readonly label: string;
  readonly tone: CallTone;
  readonly icon: IconName | "spinner";
}

const face = (
  status: string,
  label: string,
  tone: CallTone,
  icon: CallBadge["icon"],
): CallBadge => ({
  status,
  label,
  tone,
  icon,
});

const settledFaces = {
  success: face("done", "done", "done", "check"),
  error: face("failed", "failed", "danger", "cross"),
  timed_out: face("timed_out", "timed out", "danger", "wait"),
  execution_rejected: face("refused", "refused", "warning", "hand"),
  result_rejected: face("withheld", "result withheld", "warning", "hand"),
  not_found: face("not_found", "no such tool", "danger", "question"),
  cancelled: face("cancelled", "stopped", "warning", "stop"),
  outcome_unknown: face("outcome_unknown", "outcome unknown", "warning", "question"),
} as const;

const openFaces = {
  writing: face("writing", "being written", "busy", "spinner"),
  proposed: face("waiting", "waiting", "quiet", "wait"),
  answered: face("waiting", "waiting for its turn", "quiet", "wait"),
  asking: face("asking", "asks you", "asking", "hand"),
  reviewing: face("reviewing", "shows you its result first", "asking", "hand"),
  client: face("waiting", "waits for a client", "quiet", "wait"),
  running: face("running", "running", "busy", "spinner"),
} as const;

/**
 * The face of a call. In a run that is over, a call that was never settled has no outcome: it may
 * have acted if it had begun.
 */
export function callBadge(call: CallState, runIsOver: boolean): CallBadge {
  if (call.phase === "settled") {
    const settled = settledFaces[call.status ?? "outcome_unknown"];
    const outcome = call.reviewed?.outcome;
    return outcome === "redacted" || outcome === "replaced"
      ? { ...settled, label: `${settled.label}, result ${outcome}` }
      : settled;
  }
  if (runIsOver)
    return call.startedAt === null ? settledFaces.cancelled : settledFaces.outcome_unknown;
  return openFaces[call.phase];
}
