import type { RunRecord } from "@capstan/store";

/** How long runs are kept that are not to be kept for good. */
export interface Passing {
  /** Ms after which a run that ended is forgotten; one that still asks is kept a day. */
  readonly afterMs: number;
  /** Of so many that have ended the oldest are forgotten at once. */
  readonly runs: number;
}

const dayMs = 24 * 60 * 60 * 1_000;

type RunKey = Pick<RunRecord, "id" | "owner">;

/** Runs that have ended, and when each is to be forgotten. */
export class PassingRuns {
  readonly #passing: Passing;
  readonly #forget: (run: RunKey) => void;
  /** The oldest first. */
  readonly #ended = new Map<string, { readonly run: RunKey; readonly timer: NodeJS.Timeout }>();

  constructor(passing: Passing, forget: (run: RunKey) => void) {
    this.#passing = passing;
    this.#forget = forget;
  }

  /** A run ended, or stopped to wait for an answer. */
  ended(run: RunKey, asks: boolean): void {
    this.#take(run.id);
    const ms = asks ? dayMs : this.#passing.afterMs;
    this.#ended.set(run.id, { run, timer: setTimeout(() => this.#drop(run), ms).unref() });
    for (const { run: oldest } of this.#ended.values()) {
      if (this.#ended.size <= this.#passing.runs) break;
      this.#drop(oldest);
    }
  }

  #drop(run: RunKey): void {
    this.#take(run.id);
    this.#forget(run);
  }

  #take(runId: string): void {
    clearTimeout(this.#ended.get(runId)?.timer);
    this.#ended.delete(runId);
  }
}
