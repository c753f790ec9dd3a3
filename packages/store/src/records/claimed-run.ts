import type { RunRef } from "./records.ts";

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
