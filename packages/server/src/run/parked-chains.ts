import type { ChainState } from "@capstan/core";
import type { RunRecord } from "../journal/records.ts";
import type { StoredChain } from "./chain-state.ts";
import { dataRoom } from "./data-room.ts";
import { Newest, type NewestLimits } from "./newest.ts";

type Claim = Pick<RunRecord, "id" | "epoch">;

/**
 * The chains that parked here last, as they stopped, so that one that is answered soon need not be
 * read back. Only a copy of what the store has: letting one go costs time, never a word.
 */
export class ParkedChains {
  readonly #newest: Newest<{ readonly epoch: number; readonly state: ChainState }>;

  constructor(limits: NewestLimits) {
    this.#newest = new Newest(limits);
  }

  /** A run parked. What a person may change meanwhile is read again: a result in review, and a call whose outcome is unknown. */
  keep({ id, epoch }: Claim, state: ChainState): void {
    const isFixed = state.calls.every(
      ({ status }) => status !== "in_review" && status !== "outcome_unknown",
    );
    if (isFixed) this.#newest.put(id, { epoch, state }, dataRoom(state));
  }

  /** Of a run that is claimed: undefined where it is not kept, or another had it since it parked. */
  take({ id, epoch, createdAt }: Claim & Pick<RunRecord, "createdAt">): StoredChain | undefined {
    const kept = this.#newest.get(id);
    this.#newest.drop(id);
    if (kept === undefined || kept.epoch + 1 !== epoch) return undefined;
    const state = { ...kept.state, startTime: createdAt };
    return { state, roundsBegun: state.round, cut: [], waited: true, begun: true, deaths: 0 };
  }

  /** The runs are deleted. */
  forget(runIds: readonly string[]): void {
    for (const runId of runIds) this.#newest.drop(runId);
  }
}
