import type { CallState } from "../run/call-state.ts";
import type { IconName } from "../shell/icon.tsx";
import { callsTexts } from "../texts/calls.ts";

export type CallTone = "quiet" | "busy" | "asking" | "done" | "danger" | "warning";

/** The label, colour and icon of a call's state. */
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
  success: face("done", callsTexts.status.done, "done", "check"),
  error: face("failed", callsTexts.status.failed, "danger", "cross"),
  timed_out: face("timed_out", callsTexts.status.timedOut, "danger", "wait"),
  execution_rejected: face("refused", callsTexts.status.rejected, "warning", "hand"),
  result_rejected: face("withheld", callsTexts.status.withheld, "warning", "hand"),
  not_found: face("not_found", callsTexts.status.unknownTool, "danger", "question"),
  cancelled: face("cancelled", callsTexts.status.stopped, "warning", "stop"),
  outcome_unknown: face("outcome_unknown", callsTexts.status.outcomeUnknown, "warning", "question"),
} as const;

const openFaces = {
  writing: face("writing", callsTexts.status.writing, "busy", "spinner"),
  proposed: face("waiting", callsTexts.status.waiting, "quiet", "wait"),
  answered: face("waiting", callsTexts.status.queued, "quiet", "wait"),
  asking: face("asking", callsTexts.status.asking, "asking", "hand"),
  reviewing: face("reviewing", callsTexts.status.reviewing, "asking", "hand"),
  client: face("waiting", callsTexts.status.client, "quiet", "wait"),
  running: face("running", callsTexts.status.running, "busy", "spinner"),
} as const;

/**
 * Returns the badge of a call. In an ended run, a call that never settled has an unknown outcome if
 * it had started.
 */
export function callBadge(call: CallState, runIsOver: boolean): CallBadge {
  if (call.phase === "settled") {
    const settled = settledFaces[call.status ?? "outcome_unknown"];
    const outcome = call.reviewed?.outcome;
    return outcome === "redacted" || outcome === "replaced"
      ? { ...settled, label: callsTexts.status.reviewed(settled.label, outcome) }
      : settled;
  }
  if (runIsOver)
    return call.startedAt === null ? settledFaces.cancelled : settledFaces.outcome_unknown;
  return openFaces[call.phase];
}
