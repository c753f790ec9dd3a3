import type { ClaimedRun } from "../records/claimed-run.ts";
import type { AppliedOutcome } from "../records/write-results.ts";

/** Returns the run that a write claimed, or undefined if it claimed none. */
export function findClaim(
  write: { readonly type: string; readonly runId?: string },
  outcome: AppliedOutcome,
): Pick<ClaimedRun, "id" | "lastSeq"> | undefined {
  if (outcome.status === "claimed" && write.runId !== undefined)
    return { id: write.runId, lastSeq: outcome.lastSeq };
  // What expires makes runs ready for anybody.
  if (outcome.status === "expired" || !("ready" in outcome)) return undefined;
  return outcome.ready?.status === "in_progress" ? outcome.ready : undefined;
}
