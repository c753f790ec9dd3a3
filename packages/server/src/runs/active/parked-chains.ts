import type { ChainState } from "@capstan/core";
import type { ClaimedRun, RunRecord } from "@capstan/store";
import type { StoredChain } from "./chain-state.ts";
import { dataRoom } from "./data-room.ts";
import { Newest, type NewestLimits } from "./newest.ts";

/** A run that parked, as one that goes on. */
export interface ParkedChain {
  /** Undefined where it may be another by now, and is read. */
  readonly run: RunRecord | undefined;
  readonly chain: StoredChain;
}

/**
 * The chains that parked here last, as they stopped, so that one that is answered soon need not be
 * read back. Only a copy of what the store has: letting one go costs time, never a word.
 */
export class ParkedChains {
  readonly #newest: Newest<{ readonly run: RunRecord; readonly state: ChainState }>;

  constructor(limits: NewestLimits) {
    this.#newest = new Newest(limits);
  }

  /** A run parked. What a person may change meanwhile is read again: a result in review, and a call whose outcome is unknown. */
  keep(run: RunRecord, state: ChainState): void {
    const isFixed = state.calls.every(
      ({ status }) => status !== "in_review" && status !== "outcome_unknown",
    );
    const bytes = dataRoom(state) + dataRoom(run.request) + dataRoom(run.input);
    if (isFixed) this.#newest.put(run.id, { run, state }, bytes);
  }

  /** Of a run that is claimed: undefined where it is not kept, or another had it since it parked. */
  take(claimed: ClaimedRun): ParkedChain | undefined {
    const { id, epoch, lastSeq, edits } = claimed;
    const kept = this.#newest.get(id);
    this.#newest.drop(id);
    if (kept === undefined || kept.run.epoch + 1 !== epoch) return undefined;
    const { run } = kept;
    const state = { ...kept.state, startTime: run.createdAt };
    const { round } = state;
    return {
      // Who deletes the run that it continues changes it, too.
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

  /** The runs are deleted. */
  forget(runIds: readonly string[]): void {
    for (const runId of runIds) this.#newest.drop(runId);
  }
}
