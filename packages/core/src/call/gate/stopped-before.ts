import type { UnsettledEnd } from "./unsettled-result.ts";

/** The end of a call that had not begun when it was stopped. */
export function stoppedBefore(name: string, reason = "the turn was stopped"): UnsettledEnd {
  const message = `${name} was stopped before it began: ${reason}.`;
  return { status: "cancelled", error: { code: "cancelled", message } };
}
