import type { EncodedWrite } from "../../encode/encoded-journal.ts";

/**
 * The runs of which something could not be written. Their chains give writes one after another
 * without waiting for each, so what follows the lost one may be on its way already: it must not be
 * written either, or there was a hole in what is. Who claims such a run begins anew.
 */
export class LostJournals {
  /** Run → the epoch in which something was lost. */
  readonly #epochs = new Map<string, number>();

  /** Nothing of these writes was done. */
  lose(writes: readonly EncodedWrite[]): void {
    for (const write of writes)
      if (write.type === "deltas" || (write.type === "journal" && write.signOfLife !== true))
        this.#epochs.set(write.runId, write.epoch);
  }

  /** @throws Error where something before it was lost */
  check(runId: string, epoch: number): void {
    const lost = this.#epochs.get(runId);
    if (lost === undefined) return;
    if (lost === epoch)
      throw new Error(`Run ${runId} is written no further, as something before it was lost`);
    this.#epochs.delete(runId);
  }
}
