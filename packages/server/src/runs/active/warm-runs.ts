import type { ChainState } from "@capstan/core";
import type { ClaimedRun, RunRecord } from "@capstan/store";
import type { StoredChain } from "./chain-state.ts";
import { memorySize } from "./memory-size.ts";
import { BoundedCache, type CacheLimits } from "./bounded-cache.ts";

/** A suspended run with its chain, as it is after the claim. */
export interface WarmRun {
  /** `undefined` if it may have changed and has to be read. */
  readonly run: RunRecord | undefined;
  readonly chain: StoredChain;
}

/**
 * Caches the chains of runs that suspended here, so that a run that is answered soon is not read from
 * the store. Holds copies of the store only: evicting one costs time, never data.
 */
export class WarmRuns {
  readonly #cache: BoundedCache<{ readonly run: RunRecord; readonly state: ChainState }>;

  constructor(limits: CacheLimits) {
    this.#cache = new BoundedCache(limits);
  }

  /** Caches a suspended run, unless users can change it: by a result in review, or a call with an unknown outcome. */
  set(run: RunRecord, state: ChainState): void {
    const isFixed = state.calls.every(
      ({ status }) => status !== "in_review" && status !== "outcome_unknown",
    );
    const bytes = memorySize(state) + memorySize(run.request) + memorySize(run.input);
    if (isFixed) this.#cache.set(run.id, { run, state }, bytes);
  }

  /** Returns the cached chain for a claimed run and evicts it; `undefined` if it was evicted or another node has run it since. */
  take(claimed: ClaimedRun): WarmRun | undefined {
    const { id, epoch, lastSeq, edits } = claimed;
    const kept = this.#cache.get(id);
    this.#cache.delete(id);
    if (kept === undefined || kept.run.epoch + 1 !== epoch) return undefined;
    const { run } = kept;
    const state = { ...kept.state, startTime: run.createdAt };
    const { round } = state;
    return {
      // Deleting its parent changes a run, too.
      run: run.parentId === null ? { ...run, epoch, lastSeq, edits } : undefined,
      chain: {
        state,
        roundsStarted: round,
        unfinishedItems: [],
        wasWaiting: true,
        hasStarted: true,
        crashes: 0,
      },
    };
  }

  /** Evicts runs that have been deleted. */
  evict(runIds: readonly string[]): void {
    for (const runId of runIds) this.#cache.delete(runId);
  }
}
