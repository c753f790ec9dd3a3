import type { RunRef } from "./records.ts";
import type { AppliedOutcome } from "../decide/apply-request.ts";

/** A run that this process claimed: nobody else writes it any more. */
export interface ClaimedRun extends RunRef {
  readonly status: "in_progress";
  /** The number of its last event. */
  readonly lastSeq: number;
  /** How often its variables were changed from outside the loop. */
  readonly edits: number;
}

/** A run that waited for an answer, and can go on with it: it is queued, or who answered has claimed it. */
export type ReadyRun = (RunRef & { readonly status: "queued" }) | ClaimedRun;

/** Which run a write claimed, if it did. */
export function claimedIn(
  write: { readonly type: string; readonly runId?: string },
  outcome: AppliedOutcome,
): Pick<ClaimedRun, "id" | "lastSeq"> | undefined {
  if (outcome.status === "claimed" && write.runId !== undefined)
    return { id: write.runId, lastSeq: outcome.lastSeq };
  // What expires makes runs ready for anybody.
  if (outcome.status === "expired" || !("ready" in outcome)) return undefined;
  return outcome.ready?.status === "in_progress" ? outcome.ready : undefined;
}
