import type { RunRecord } from "@capstan/store";

/** How long ephemeral runs are kept, and how many. */
export interface EphemeralLimits {
  /** Ms after which an ended run is deleted; one that still waits for an answer is kept for a day. */
  readonly ttlMs: number;
  /** Above this number of ended runs the oldest are deleted at once. */
  readonly maxRuns: number;
}

const dayMs = 24 * 60 * 60 * 1_000;

type RunKey = Pick<RunRecord, "id" | "owner">;

/** Deletes ephemeral runs some time after their end. */
export class EphemeralRuns {
  readonly #limits: EphemeralLimits;
  readonly #delete: (run: RunKey) => void;
  /** Oldest first. */
  readonly #ended = new Map<string, { readonly run: RunKey; readonly timer: NodeJS.Timeout }>();

  constructor(limits: EphemeralLimits, onExpire: (run: RunKey) => void) {
    this.#limits = limits;
    this.#delete = onExpire;
  }

  /** Schedules the deletion of a run that has ended or suspended. */
  onEnd(run: RunKey, isWaiting: boolean): void {
    this.#unschedule(run.id);
    const ms = isWaiting ? dayMs : this.#limits.ttlMs;
    this.#ended.set(run.id, { run, timer: setTimeout(() => this.#expire(run), ms).unref() });
    for (const { run: oldest } of this.#ended.values()) {
      if (this.#ended.size <= this.#limits.maxRuns) break;
      this.#expire(oldest);
    }
  }

  #expire(run: RunKey): void {
    this.#unschedule(run.id);
    this.#delete(run);
  }

  #unschedule(runId: string): void {
    clearTimeout(this.#ended.get(runId)?.timer);
    this.#ended.delete(runId);
  }
}
