import type { ChainError } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import type {
  ApprovalRecord,
  ClaimedRun,
  RunJournalWrite,
  RunRecord,
  RunRef,
  Store,
} from "@capstan/store";
import { beginWith, readBeginning } from "./beginning.ts";
import type { ActiveRuns, LaunchInput } from "./active-runs.ts";
import { isBetweenProcesses, readChainState, type StoredChain } from "./chain-state.ts";
import { type HeldRun, LostRuns } from "./lost-runs.ts";
import type { ParkedChains } from "./parked-chains.ts";
import type { Serial } from "./serial.ts";
import { ending, resumption } from "./resumption.ts";

export interface TakeUpsOptions {
  readonly store: Store;
  readonly activeRuns: ActiveRuns;
  readonly parked: ParkedChains;
  /** One thing at a time of each run. */
  readonly serial: Serial;
  readonly isStopping: () => boolean;
  /** How often in a row a run's process may be gone without the run getting any further. */
  readonly most: number;
  readonly log: (line: string) => void;
}

const interrupted: ChainError = {
  code: "interrupted",
  message:
    "The server stopped again and again while this was running, at the same place. What was done until then is kept.",
  phase: "chain",
};

const killing =
  "The server stopped again and again as soon as it took this up, so it was closed without being read. Begin it anew.";

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
      isActive: (runId) => options.activeRuns.get(runId) !== undefined,
      claim: (run) => this.#claim(run),
      end: async (run, why) => this.#end({ ...(await this.#read(run)), epoch: run.epoch }, why, []),
    });
  }

  /** Claims a run and goes on with it, or ends it where it seems to be what stops its servers. */
  async takeUp(ref: RunRef): Promise<void> {
    const held = await (ref.status === "in_progress" ? this.#claimOrphan(ref) : this.#claim(ref));
    if (held === undefined) return;
    // Where that cannot be read, going on fails as well, and closes it.
    const kills = await this.#killsItsReaders(held).catch(() => false);
    await (kills ? this.lost.closeUnreadNow(held, killing) : this.goOn(held));
  }

  /**
   * Goes on with a run that is claimed: one that waited is with its answer.
   *
   * @param heard what it was claimed with
   */
  async goOn(held: ClaimedRun, heard?: ApprovalRecord): Promise<void> {
    const { activeRuns, parked } = this.#options;
    activeRuns.detachStale(held);
    try {
      const kept = parked.take(held);
      const run = kept?.run ?? (await this.#read(held));
      // Claimed anew since then, to be ended, say.
      if (run.epoch !== held.epoch) return;
      if (run.lastSeq === 0) await this.#begin(run);
      else await this.#resume(run, kept?.chain, heard);
    } catch (thrown) {
      await this.#closeFailed(held, thrown);
    }
  }

  /** Begins a run that is claimed: stored as going on, it must go on or end. */
  async launch(run: RunRecord, prepare: () => Promise<LaunchInput>): Promise<void> {
    try {
      await this.#options.activeRuns.launch(run, await prepare());
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
    const held = await this.#claim(ref);
    if (held === undefined) return false;
    this.#options.activeRuns.detachStale(held);
    // Who claimed it with an answer, and is about to go on with it, reads that it is not his any more.
    this.#options.parked.forget([held.id]);
    await this.lost.closeNow(held, why);
    return true;
  }

  async #begin(run: RunRecord): Promise<void> {
    const { store, activeRuns } = this.#options;
    await activeRuns.launch(run, await beginWith(store, await readBeginning(store, run)));
  }

  async #resume(run: RunRecord, kept?: StoredChain, heard?: ApprovalRecord): Promise<void> {
    const { store, activeRuns, most } = this.#options;
    const stored = kept ?? (await readChainState(store, run));
    if (stored.deaths > most) return this.#endInterrupted(run);
    if (!stored.begun) return this.#begin(run);
    const { writes, resume } = await resumption(store, run, stored, heard);
    if (!(await this.#write(run, writes))) return;
    await activeRuns.launch(run, { resume: { ...resume, waited: stored.waited } });
  }

  /** Ends a run that seems to be what stops its servers; its stream says so. */
  #endInterrupted(run: RunRecord): Promise<void> {
    const { message } = interrupted;
    const event = { type: "run.interrupted", at: Date.now(), message } as const;
    return this.#end(run, interrupted, [{ type: "event", event }]);
  }

  async #end(run: RunRecord, why: ChainError, notices: readonly RunJournalWrite[]): Promise<void> {
    const { writes, resume } = await ending(this.#options.store, run, why, notices);
    if (!(await this.#write(run, writes))) return;
    await this.#options.activeRuns.close(run, resume);
  }

  async #closeFailed(held: HeldRun, thrown: unknown): Promise<void> {
    const message = `The run could not be started: ${errorMessage(thrown)}`;
    this.#options.log(`${held.id}: ${message}`);
    const why: ChainError = { code: "internal", message, phase: "chain" };
    await this.lost.closeNow(held, why);
  }

  /** Undefined where another has it, or it has ended. */
  async #claim({ id, owner, epoch }: HeldRun): Promise<ClaimedRun | undefined> {
    const [outcome] = await this.#options.store.write([{ type: "claim-run", runId: id, epoch }]);
    if (outcome.status !== "claimed") return undefined;
    const { epoch: own, lastSeq, edits } = outcome;
    return { id, owner, status: "in_progress", epoch: own, lastSeq, edits };
  }

  /** The same of one whose process is gone, which is kept in mind before anything of it is read: that may be what ends processes. */
  async #claimOrphan({ id: runId, owner, epoch }: RunRef): Promise<ClaimedRun | undefined> {
    const writes = [{ type: "event", event: { type: "run.orphaned", at: Date.now() } }] as const;
    const [claim, noted] = await this.#options.store.write([
      { type: "claim-run", runId, epoch },
      { type: "journal", runId, epoch: epoch + 1, writes },
    ]);
    if (claim.status !== "claimed" || noted.status !== "committed") return undefined;
    const { epoch: own, edits } = claim;
    return { id: runId, owner, status: "in_progress", epoch: own, lastSeq: noted.lastSeq, edits };
  }

  /**
   * Whether, too often in a row, nothing was written of it between two ends of its processes but
   * signs of life. Never is more read than may be such ends: what is before them may be what kills.
   */
  async #killsItsReaders({ id: runId, owner, epoch, lastSeq }: ClaimedRun): Promise<boolean> {
    const { store, most } = this.#options;
    let missing = most + 1;
    let from = lastSeq;
    // Each end was followed by a claim.
    if (epoch <= missing) return false;
    while (missing > 0) {
      if (from < missing) return false;
      from -= missing;
      const query = { owner, runId, after: from, limit: missing };
      const events = (await store.readEvents(query)) ?? [];
      if (events.length < missing || !events.every(isBetweenProcesses)) return false;
      missing -= events.filter(({ type }) => type === "run.orphaned").length;
    }
    return true;
  }

  async #read({ owner, id }: HeldRun): Promise<RunRecord> {
    const run = await this.#options.store.getRun({ owner, id });
    if (run === undefined) throw new Error("it is not there any more");
    return run;
  }

  /** @returns false where it was claimed anew since then: it is another's. */
  async #write(
    { id: runId, epoch }: HeldRun,
    writes: readonly RunJournalWrite[],
  ): Promise<boolean> {
    if (writes.length === 0) return true;
    const journal = { type: "journal", runId, epoch, writes } as const;
    const [{ status }] = await this.#options.store.write([journal]);
    return status === "committed";
  }
}
