import type { RunRef } from "./records.ts";

/** A run that this process has claimed: no other process writes it. */
export interface ClaimedRun extends RunRef {
  readonly status: "in_progress";
  /** The number of its last event. */
  readonly lastSeq: number;
  /** How often its variables were changed from outside the loop. */
  readonly edits: number;
}

/**
 * A run that can resume after an answer: it is queued, or the commit of the answer has claimed it.
 */
export type ReadyRun = (RunRef & { readonly status: "queued" }) | ClaimedRun;
