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
import { launchInputOf, readStartInput } from "./read-start-input.ts";
import type { ActiveRuns, LaunchInput } from "./active-runs.ts";
import { isOwnerlessEvent, readChainState, type StoredChain } from "./chain-state.ts";
import { type OwnedRun, CloseRetries } from "./close-retries.ts";
import type { WarmRuns } from "./warm-runs.ts";
import type { KeyedMutex } from "./keyed-mutex.ts";
import { readEnding, readResumption } from "./read-resumption.ts";

export interface ClaimsOptions {
  readonly store: Store;
  readonly activeRuns: ActiveRuns;
  readonly warmRuns: WarmRuns;
  /** Runs one operation of a run at a time. */
  readonly mutex: KeyedMutex;
  readonly isStopping: () => boolean;
  /** How many processes of a run may crash in a row without progress in the run. */
  readonly maxCrashes: number;
  readonly log: (line: string) => void;
}

const interrupted: ChainError = {
  code: "interrupted",
  message:
    "The server stopped again and again while this was running, at the same place. What was done until then is kept.",
  phase: "chain",
};

const crashing =
  "The server stopped again and again as soon as it took this up, so it was closed without being read. Begin it anew.";

/**
 * Claims runs without an owner and resumes or closes them. A run is claimed before it is read: no
 * other node can change it after that.
 */
export class Claims {
  readonly #options: ClaimsOptions;
  /** Closes runs of this process whose end the store did not commit. */
  readonly closeRetries: CloseRetries;

  constructor(options: ClaimsOptions) {
    this.#options = options;
    this.closeRetries = new CloseRetries({
      ...options,
      isActive: (runId) => options.activeRuns.get(runId) !== undefined,
      claim: (run) => this.#claim(run),
      end: async (run, why) => this.#end({ ...(await this.#read(run)), epoch: run.epoch }, why, []),
    });
  }

  /** Claims a run and resumes it, or closes it if it seems to crash its servers. */
  async claimAndResume(ref: RunRef): Promise<void> {
    const held = await (ref.status === "in_progress" ? this.#claimOrphan(ref) : this.#claim(ref));
    if (held === undefined) return;
    // If that cannot be read, resuming fails as well, and closes the run.
    const crashes = await this.#crashesItsServers(held).catch(() => false);
    await (crashes ? this.closeRetries.closeUnreadNow(held, crashing) : this.resume(held));
  }

  /**
   * Resumes a claimed run; a suspended one gets its answer.
   *
   * @param answer the answer with which it was claimed, if there was one
   */
  async resume(claimed: ClaimedRun, answer?: ApprovalRecord): Promise<void> {
    const { activeRuns, warmRuns } = this.#options;
    activeRuns.detachStale(claimed);
    try {
      const cached = warmRuns.take(claimed);
      const run = cached?.run ?? (await this.#read(claimed));
      // It has been claimed anew since then, for example to be closed.
      if (run.epoch !== claimed.epoch) return;
      if (run.lastSeq === 0) await this.#start(run);
      else await this.#resume(run, cached?.chain, answer);
    } catch (thrown) {
      await this.#closeFailed(claimed, thrown);
    }
  }

  /** Launches a claimed run; if that fails, closes it, as it is stored as in progress. */
  async launch(run: RunRecord, prepare: () => Promise<LaunchInput>): Promise<void> {
    try {
      await this.#options.activeRuns.launch(run, await prepare());
    } catch (thrown) {
      await this.#closeFailed(run, thrown);
    }
  }

  /**
   * Claims a run and closes it; retries if closing fails.
   *
   * @returns false if another node claimed it first, or if it has ended
   */
  async claimAndClose(ref: RunRef, why: ChainError): Promise<boolean> {
    const held = await this.#claim(ref);
    if (held === undefined) return false;
    this.#options.activeRuns.detachStale(held);
    // An answer that claimed the run and is about to resume it then reads the new epoch.
    this.#options.warmRuns.evict([held.id]);
    await this.closeRetries.closeNow(held, why);
    return true;
  }

  async #start(run: RunRecord): Promise<void> {
    const { store, activeRuns } = this.#options;
    await activeRuns.launch(run, await launchInputOf(store, await readStartInput(store, run)));
  }

  async #resume(run: RunRecord, cached?: StoredChain, answer?: ApprovalRecord): Promise<void> {
    const { store, activeRuns, maxCrashes } = this.#options;
    const stored = cached ?? (await readChainState(store, run));
    if (stored.crashes > maxCrashes) return this.#endInterrupted(run);
    if (!stored.hasStarted) return this.#start(run);
    const { writes, resume } = await readResumption(store, run, stored, answer);
    if (!(await this.#write(run, writes))) return;
    await activeRuns.launch(run, { resume: { ...resume, waited: stored.wasWaiting } });
  }

  /** Closes a run that seems to crash its servers, with an event that says so. */
  #endInterrupted(run: RunRecord): Promise<void> {
    const { message } = interrupted;
    const event = { type: "run.interrupted", at: Date.now(), message } as const;
    return this.#end(run, interrupted, [{ type: "event", event }]);
  }

  async #end(run: RunRecord, why: ChainError, notices: readonly RunJournalWrite[]): Promise<void> {
    const { writes, resume } = await readEnding(this.#options.store, run, why, notices);
    if (!(await this.#write(run, writes))) return;
    await this.#options.activeRuns.close(run, resume);
  }

  async #closeFailed(held: OwnedRun, thrown: unknown): Promise<void> {
    const message = `The run could not be started: ${errorMessage(thrown)}`;
    this.#options.log(`${held.id}: ${message}`);
    const why: ChainError = { code: "internal", message, phase: "chain" };
    await this.closeRetries.closeNow(held, why);
  }

  /** @returns `undefined` if another node has claimed it, or if it has ended */
  async #claim({ id, owner, epoch }: OwnedRun): Promise<ClaimedRun | undefined> {
    const [outcome] = await this.#options.store.write([{ type: "claim-run", runId: id, epoch }]);
    if (outcome.status !== "claimed") return undefined;
    const { epoch: own, lastSeq, edits } = outcome;
    return { id, owner, status: "in_progress", epoch: own, lastSeq, edits };
  }

  /** Claims a run whose process is gone. Records that before anything of the run is read, as reading may be what crashes processes. */
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
   * Whether too many processes of the run crashed in a row without writing more than heartbeats.
   * Reads no event before those crashes: reading it may be what crashes.
   */
  async #crashesItsServers({ id: runId, owner, epoch, lastSeq }: ClaimedRun): Promise<boolean> {
    const { store, maxCrashes } = this.#options;
    let missing = maxCrashes + 1;
    let from = lastSeq;
    // Each end was followed by a claim.
    if (epoch <= missing) return false;
    while (missing > 0) {
      if (from < missing) return false;
      from -= missing;
      const query = { owner, runId, after: from, limit: missing };
      const events = (await store.readEvents(query)) ?? [];
      if (events.length < missing || !events.every(isOwnerlessEvent)) return false;
      missing -= events.filter(({ type }) => type === "run.orphaned").length;
    }
    return true;
  }

  async #read({ owner, id }: OwnedRun): Promise<RunRecord> {
    const run = await this.#options.store.getRun({ owner, id });
    if (run === undefined) throw new Error("it is not there any more");
    return run;
  }

  /** @returns false if it has been claimed anew since then */
  async #write(
    { id: runId, epoch }: OwnedRun,
    writes: readonly RunJournalWrite[],
  ): Promise<boolean> {
    if (writes.length === 0) return true;
    const journal = { type: "journal", runId, epoch, writes } as const;
    const [{ status }] = await this.#options.store.write([journal]);
    return status === "committed";
  }
}
