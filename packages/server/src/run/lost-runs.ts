import { setTimeout as setTimeoutPromise } from "node:timers/promises";
import { type ChainError, errorMessage } from "@capstan/core";
import type { RunRecord } from "../journal/records.ts";
import type { Store } from "../journal/store.ts";
import type { Serial } from "./serial.ts";

/** Before each try to close a run that the store took no end of. */
const closePausesMs = [0, 250, 1_000, 5_000, 30_000, 120_000];

export interface LostRunsOptions {
  readonly store: Store;
  /** One thing at a time of each run. */
  readonly serial: Serial;
  readonly isLive: (runId: string) => boolean;
  /** The server stops: the next one closes what this one leaves. */
  readonly isStopping: () => boolean;
  readonly close: (run: RunRecord, why: ChainError) => Promise<void>;
  readonly log: (line: string) => void;
}

/**
 * Runs of which the store did not take all that they wrote. Each is closed as soon as the store
 * takes something again, so that it does not seem to go on while nobody works on it.
 */
export class LostRuns {
  readonly #options: LostRunsOptions;
  readonly #closing = new Set<string>();

  constructor(options: LostRunsOptions) {
    this.#options = options;
  }

  /** Closes a run, however often it takes. */
  async close(run: RunRecord, why: ChainError): Promise<void> {
    if (this.#closing.has(run.id)) return;
    this.#closing.add(run.id);
    for (const pauseMs of closePausesMs) {
      await setTimeoutPromise(pauseMs, undefined, { ref: false });
      if (this.#options.isStopping()) break;
      if (await this.#options.serial.run(run.id, () => this.hasClosed(run, why))) break;
    }
    this.#closing.delete(run.id);
  }

  /** Tries it once. */
  async hasClosed({ owner, id }: RunRecord, why: ChainError): Promise<boolean> {
    const { store, isLive, close, log } = this.#options;
    const isOpen = (run: RunRecord | undefined) => run?.status === "in_progress" && !isLive(id);
    try {
      const run = await store.getRun({ owner, id });
      if (run === undefined || !isOpen(run)) return true;
      await close(run, why);
      return !isOpen(await store.getRun({ owner, id }));
    } catch (thrown) {
      log(`Run ${id} could not be closed: ${errorMessage(thrown)}`);
      return false;
    }
  }
}
