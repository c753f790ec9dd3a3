import { shortJson } from "../arguments/short-json.ts";
import { errorMessage } from "../errors/error-message.ts";
import type { VariableSystem } from "../variables/variable-system.ts";
import type { VariableChange } from "../variables/variable.ts";
import type { ChainEvent } from "./chain-event.ts";
import type { CommitOutcome, Journal, JournalWrite } from "./journal.ts";

/** Commits under way before the loop waits for them. */
const inFlightLimit = 64;

export interface RecorderOptions {
  readonly journal: Journal | undefined;
  readonly variables: VariableSystem;
  readonly publish: (event: ChainEvent) => void;
  /** Whether anybody would hear what is published now. */
  readonly isHeard: () => boolean;
  /** The journal took nothing more: the chain must stop. Called at most once. */
  readonly onLost: (reason: LostReason) => void;
}

export interface LostReason {
  readonly code: "fenced" | "journal_failed";
  readonly message: string;
}

/**
 * Writes what happens in a chain, and tells of it once it is written. Changes of variables go
 * into the next commit, so that a call's end and what it kept are one.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #unsubscribe: () => void;
  #changes: JournalWrite[] = [];
  #last: Promise<boolean> | undefined;
  #inFlight = 0;
  #lost = false;

  constructor(options: RecorderOptions) {
    this.#options = options;
    const keep = (change: VariableChange) => this.#changes.push({ type: "variable", change });
    this.#unsubscribe =
      options.journal === undefined ? () => {} : options.variables.subscribe(keep);
  }

  get lost(): boolean {
    return this.#lost;
  }

  /**
   * True once all is written; false where nothing was. Never rejects.
   *
   * @param said what happened, or what says it: that is not asked where nobody keeps or hears it
   */
  commit(
    said: readonly JournalWrite[] | (() => readonly JournalWrite[]),
  ): boolean | Promise<boolean> {
    if (this.#lost) return false;
    if (!this.isHeard) return true;
    const writes = typeof said === "function" ? said() : said;
    if (this.#options.journal === undefined) return this.#written(writes);
    const batch = this.#changes.length === 0 ? writes : [...this.#changes, ...writes];
    this.#changes = [];
    let outcome;
    try {
      outcome = this.#options.journal.commit(batch);
    } catch (thrown) {
      return this.#lose({ code: "journal_failed", message: errorMessage(thrown) });
    }
    if (!isThenable(outcome)) return this.#taken(outcome, batch);
    this.#inFlight++;
    this.#last = Promise.resolve(outcome).then(
      (result) => {
        this.#inFlight--;
        return this.#taken(result, batch);
      },
      (thrown: unknown) => {
        this.#inFlight--;
        return this.#lose({ code: "journal_failed", message: errorMessage(thrown) });
      },
    );
    return this.#last;
  }

  /** Whether anybody keeps or hears what is said now; where nobody does, it need not be said. */
  get isHeard(): boolean {
    return this.#options.journal !== undefined || this.#options.isHeard();
  }

  event(event: ChainEvent): boolean | Promise<boolean> {
    if (this.#options.journal !== undefined) return this.commit([{ type: "event", event }]);
    if (!this.#lost) this.#options.publish(event);
    return !this.#lost;
  }

  /** Waits while too much is under way, so that a fast model cannot outrun a slow disk. */
  ready(): Promise<unknown> | undefined {
    return this.#inFlight > inFlightLimit ? this.#last : undefined;
  }

  /** Writes nothing from now on: another process will carry the chain on from what is written. */
  detach(): void {
    this.#lost = true;
  }

  close(): void {
    this.#unsubscribe();
  }

  /** Journals are written by others: what is no yes is none. */
  #taken(outcome: CommitOutcome | undefined, batch: readonly JournalWrite[]): boolean {
    if (outcome?.status === "committed") return this.#written(batch);
    if (outcome?.status === "fenced")
      return this.#lose({ code: "fenced", message: outcome.reason });
    const message = `The journal's commit gave ${shortJson(outcome)}, and should give { status: "committed" } or { status: "fenced", reason }.`;
    return this.#lose({ code: "journal_failed", message });
  }

  #written(batch: readonly JournalWrite[]): true {
    for (const write of batch) if (write.type === "event") this.#options.publish(write.event);
    return true;
  }

  #lose(reason: LostReason): false {
    if (!this.#lost) {
      this.#lost = true;
      this.#options.onLost(reason);
    }
    return false;
  }
}

function isThenable<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as Partial<Promise<T>> | undefined)?.then === "function";
}
