import { type ChainError, errorMessage } from "@capstan/core";
import type { ClaimedRun } from "../journal/claimed-run.ts";
import type { RunRecord, RunRef } from "../journal/records.ts";
import type { Store } from "../journal/store.ts";
import type { RunJournalWrite } from "../journal/store-write.ts";
import { beginWith, readBeginning } from "./beginning.ts";
import type { Chains, Given } from "./chains.ts";
import { readChainState } from "./chain-state.ts";
import { type HeldRun, LostRuns } from "./lost-runs.ts";
import type { ParkedChains } from "./parked-chains.ts";
import type { Serial } from "./serial.ts";
import { ending, resumption } from "./take-up.ts";

export interface TakeUpsOptions {
  readonly store: Store;
  readonly chains: Chains;
  readonly parked: ParkedChains;
  /** One thing at a time of each run. */
  readonly serial: Serial;
  readonly isStopping: () => boolean;
  /** How often in a row a run is taken up without getting any further. */
  readonly most: number;
  readonly log: (line: string) => void;
}

const interrupted: ChainError = {
  code: "interrupted",
  message:
    "The server stopped again and again while this was running, at the same place. What was done until then is kept.",
  phase: "chain",
};

/**
 * Takes runs up that nobody holds, and ends those that nobody carries on. A run is claimed before
 * anything of it is read: what is read afterwards no other node can change any more.
 */
export class TakeUps {
  readonly #options: TakeUpsOptions;
  /** Runs of this process that did not end as they should. */
  readonly lost: LostRuns;

  constructor(options: TakeUpsOptions) {
    this.#options = options;
    this.lost = new LostRuns({
      ...options,
      isLive: (runId) => options.chains.get(runId) !== undefined,
      claim: async (run) => (await this.#claim(run))?.held,
      end: async (run, why) => this.#end({ ...(await this.#read(run)), epoch: run.epoch }, why, []),
    });
  }

  /** Claims a run and goes on with it, or ends it where it seems to be what stops its servers. */
  async takeUp(ref: RunRef): Promise<void> {
    const claim = await this.#claim(ref);
    if (claim !== undefined) await this.#goOn(claim.held, claim.hadStopped);
  }

  /** Goes on with a run that waited, and was claimed with its answer. */
  async goOn(run: ClaimedRun): Promise<void> {
    await this.#goOn(run, false);
  }

  async #goOn(held: HeldRun, hadStopped: boolean): Promise<void> {
    try {
      const run = await this.#read(held);
      // Claimed anew since then, to be ended, say.
      if (run.epoch !== held.epoch) return;
      if (run.lastSeq === 0) await this.#begin(run);
      else await this.#resume(run, hadStopped);
    } catch (thrown) {
      await this.#closeFailed(held, thrown);
    }
  }

  /** Begins a run that is claimed: stored as going on, it must go on or end. */
  async launch(run: RunRecord, prepare: () => Promise<Given>): Promise<void> {
    try {
      await this.#options.chains.launch(run, await prepare());
    } catch (thrown) {
      await this.#closeFailed(run, thrown);
    }
  }

  /**
   * Claims a run that nobody carries on, and ends it; where that fails, it is tried again.
   *
   * @returns false where another claimed it first, or it has ended
   */
  async close(ref: RunRef, why: ChainError): Promise<boolean> {
    const claim = await this.#claim(ref);
    if (claim === undefined) return false;
    if (!(await this.lost.hasClosed(claim.held, why))) void this.lost.close(claim.held, why);
    return true;
  }

  async #begin(run: RunRecord): Promise<void> {
    const { store, chains, most } = this.#options;
    if (run.epoch > most + 1) return this.#endInterrupted(run);
    await chains.launch(run, await beginWith(store, await readBeginning(store, run)));
  }

  async #resume(run: RunRecord, hadStopped: boolean): Promise<void> {
    const { store, chains, parked, most } = this.#options;
    const stored = parked.take(run) ?? (await readChainState(store, run));
    const { writes, resume, fruitless } = await resumption(store, run, stored);
    if (hadStopped && fruitless >= most) return this.#endInterrupted(run);
    await this.#write(run, writes);
    await chains.launch(run, { resume: { ...resume, waited: stored.waited && !hadStopped } });
  }

  /** Ends a run that seems to be what stops its servers; its stream says so. */
  #endInterrupted(run: RunRecord): Promise<void> {
    const { message } = interrupted;
    const event = { type: "run.interrupted", at: Date.now(), message } as const;
    return this.#end(run, interrupted, [{ type: "event", event }]);
  }

  async #end(run: RunRecord, why: ChainError, notices: readonly RunJournalWrite[]): Promise<void> {
    const { writes, resume } = await ending(this.#options.store, run, why, notices);
    await this.#write(run, writes);
    await this.#options.chains.closeOff(run, resume);
  }

  async #closeFailed(held: HeldRun, thrown: unknown): Promise<void> {
    const message = `The run could not be started: ${errorMessage(thrown)}`;
    this.#options.log(`${held.id}: ${message}`);
    const why: ChainError = { code: "internal", message, phase: "chain" };
    if (!(await this.lost.hasClosed(held, why))) void this.lost.close(held, why);
  }

  /** Undefined where another has it, or it has ended. */
  async #claim(
    ref: Omit<RunRef, "status">,
  ): Promise<{ readonly held: HeldRun; readonly hadStopped: boolean } | undefined> {
    const { id, owner, epoch } = ref;
    const [outcome] = await this.#options.store.write([{ type: "claim-run", runId: id, epoch }]);
    if (outcome.status !== "claimed") return undefined;
    const held = { id, owner, epoch: outcome.epoch };
    return { held, hadStopped: outcome.previous === "in_progress" };
  }

  async #read({ owner, id }: HeldRun): Promise<RunRecord> {
    const run = await this.#options.store.getRun({ owner, id });
    if (run === undefined) throw new Error("it is not there any more");
    return run;
  }

  async #write({ id: runId, epoch }: HeldRun, writes: readonly RunJournalWrite[]): Promise<void> {
    if (writes.length > 0)
      await this.#options.store.write([{ type: "journal", runId, epoch, writes }]);
  }
}
