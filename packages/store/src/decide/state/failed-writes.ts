import type { EncodedWrite } from "../../encode/run-commit.ts";

/**
 * Runs with a failed write. A chain sends writes without waiting for each outcome, so later writes may
 * already be queued. They must also fail; otherwise the journal has a gap. A new claim, which
 * starts a new epoch, clears the failure.
 */
export class FailedWrites {
  /** By run id: the epoch in which a write failed. */
  readonly #epochs = new Map<string, number>();

  /** Records the runs of failed writes; ignores heartbeats. */
  add(writes: readonly EncodedWrite[]): void {
    for (const write of writes)
      if (write.type === "deltas" || (write.type === "commit" && write.isHeartbeat !== true))
        this.#epochs.set(write.runId, write.epoch);
  }

  /** @throws Error if a write of the same epoch failed before */
  check(runId: string, epoch: number): void {
    const failedEpoch = this.#epochs.get(runId);
    if (failedEpoch === undefined) return;
    if (failedEpoch === epoch)
      throw new Error(`Run ${runId} accepts no more writes, because an earlier one was lost`);
    this.#epochs.delete(runId);
  }
}
