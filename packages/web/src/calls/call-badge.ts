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

/** A badge with the key of its label. */
interface Face extends Omit<CallBadge, "label"> {
  readonly text: keyof typeof callsTexts.status;
}

const face = (
  status: string,
  text: Face["text"],
  tone: CallTone,
  icon: CallBadge["icon"],
): Face => ({ status, text, tone, icon });

function badgeOf({ text, ...rest }: Face): CallBadge {
  return { ...rest, label: callsTexts.status[text] };
}

const settledFaces = {
  success: face("done", "done", "done", "check"),
  error: face("failed", "failed", "danger", "cross"),
  timed_out: face("timed_out", "timedOut", "danger", "wait"),
  execution_rejected: face("refused", "rejected", "warning", "hand"),
  result_rejected: face("withheld", "withheld", "warning", "hand"),
  not_found: face("not_found", "unknownTool", "danger", "question"),
  cancelled: face("cancelled", "stopped", "warning", "stop"),
  outcome_unknown: face("outcome_unknown", "outcomeUnknown", "warning", "question"),
} as const;

const openFaces = {
  writing: face("writing", "writing", "busy", "spinner"),
  proposed: face("waiting", "waiting", "quiet", "wait"),
  answered: face("waiting", "queued", "quiet", "wait"),
  asking: face("asking", "asking", "asking", "hand"),
  reviewing: face("reviewing", "reviewing", "asking", "hand"),
  client: face("waiting", "client", "quiet", "wait"),
  running: face("running", "running", "busy", "spinner"),
} as const;

/**
 * Returns the badge of a call. In an ended run, a call that never settled has an unknown outcome if
 * it had started.
 */
export function callBadge(call: CallState, runIsOver: boolean): CallBadge {
  if (call.phase === "settled") {
    const settled = badgeOf(settledFaces[call.status ?? "outcome_unknown"]);
    const outcome = call.reviewed?.outcome;
    return outcome === "redacted" || outcome === "replaced"
      ? { ...settled, label: callsTexts.reviewed[outcome](settled.label) }
      : settled;
  }
  if (runIsOver)
    return badgeOf(settledFaces[call.startedAt === null ? "cancelled" : "outcome_unknown"]);
  return badgeOf(openFaces[call.phase]);
}
