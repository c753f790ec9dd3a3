import { shortJson } from "../../json/short-json.ts";
import { errorMessage } from "../../base/errors.ts";
import type { VariableSystem } from "../../variables/variable-system.ts";
import type { VariableChange } from "../../variables/variable.ts";
import type { ChainEvent } from "./chain-event.ts";
import type { CommitOutcome, Journal, JournalWrite } from "./journal.ts";

/** Writes in flight before the loop waits for them. */
const inFlightLimit = 128;

/** The options of `Recorder`. */
export interface RecorderOptions {
  readonly journal: Journal | undefined;
  readonly variables: VariableSystem;
  readonly publish: (event: ChainEvent) => void;
  /** Whether published events have listeners. */
  readonly hasListeners: () => boolean;
  /** Called if the journal accepts no more writes: the chain must stop. Called at most once. */
  readonly onLost: (reason: LossReason) => void;
}

/** The reason why a journal accepts no more writes. */
export interface LossReason {
  readonly code: "fenced" | "journal_failed";
  readonly message: string;
}

/**
 * Records a chain: commits its writes to the journal, and publishes their events after the commit.
 * Appended writes join one batch until the journal takes the next commit. Changes of variables join
 * the next appended write, so that the end of a call and its stored result are one commit. Wait for
 * `committed` before you act on a write.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #unsubscribe: () => void;
  readonly #changes: JournalWrite[] = [];
  #batch: WriteBatch | undefined;
  /** The outcome of the newest commit in flight. */
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

  /** Whether a journal or a listener gets the writes. If not, they need not be created. */
  get isObserved(): boolean {
    return this.#options.journal !== undefined || this.#options.hasListeners();
  }

  append(writes: readonly JournalWrite[]): void {
    if (this.#lost) return;
    const { journal } = this.#options;
    if (journal === undefined) return this.#publish(writes);
    if (journal.beforeNext !== undefined) return this.#addToBatch(journal, writes);
    const all = [...this.#changes.splice(0), ...writes];
    if (all.length > 0) void this.#write(journal, all);
  }

  appendEvent(event: ChainEvent): void {
    this.append([{ type: "event", event }]);
  }

  /**
   * Returns true if all appended writes are committed, false if they never will be. Never rejects.
   */
  committed(): boolean | Promise<boolean> {
    if (this.#lost) return false;
    if (this.#batch !== undefined) return this.#batch.committed.promise;
    return this.#last ?? true;
  }

  /**
   * Returns a promise of the newest commit if too many writes are in flight: a fast model must not
   * outrun a slow disk.
   */
  drained(): Promise<unknown> | undefined {
    const writes = this.#inFlight + (this.#batch?.writes.length ?? 0);
    return writes > inFlightLimit ? (this.#batch?.committed.promise ?? this.#last) : undefined;
  }

  /**
   * Flushes the batch, and ignores all later writes: another process resumes the chain from the
   * committed writes.
   */
  detach(): void {
    this.#flush();
    this.#lost = true;
  }

  close(): void {
    this.#unsubscribe();
  }

  #addToBatch(journal: Journal, writes: readonly JournalWrite[]): void {
    const isOpen = this.#batch !== undefined;
    if (!isOpen && this.#changes.length + writes.length === 0) return;
    this.#batch ??= { writes: [], committed: Promise.withResolvers() };
    this.#batch.writes.push(...this.#changes.splice(0), ...writes);
    if (isOpen) return;
    try {
      journal.beforeNext?.(this.#flush);
    } catch (thrown) {
      this.#lose({ code: "journal_failed", message: errorMessage(thrown) });
    }
  }

  readonly #flush = (): void => {
    const batch = this.#batch;
    const { journal } = this.#options;
    if (batch === undefined || journal === undefined) return;
    this.#batch = undefined;
    batch.committed.resolve(this.#write(journal, batch.writes));
  };

  #write(journal: Journal, writes: readonly JournalWrite[]): boolean | Promise<boolean> {
    let outcome;
    try {
      outcome = journal.commit(writes);
    } catch (thrown) {
      return this.#lose({ code: "journal_failed", message: errorMessage(thrown) });
    }
    if (!isThenable(outcome)) return this.#onOutcome(outcome, writes);
    this.#inFlight += writes.length;
    const answered = (): void => {
      this.#inFlight -= writes.length;
      if (this.#inFlight === 0) this.#last = undefined;
    };
    this.#last = Promise.resolve(outcome).then(
      (result) => {
        answered();
        return this.#onOutcome(result, writes);
      },
      (thrown: unknown) => {
        answered();
        return this.#lose({ code: "journal_failed", message: errorMessage(thrown) });
      },
    );
    return this.#last;
  }

  /** Journals are custom code: only a valid `committed` counts as one. */
  #onOutcome(outcome: CommitOutcome | undefined, writes: readonly JournalWrite[]): boolean {
    if (outcome?.status === "committed") {
      this.#publish(writes);
      return true;
    }
    if (outcome?.status === "fenced")
      return this.#lose({ code: "fenced", message: outcome.reason });
    const message = `The journal's commit returned ${shortJson(outcome)}, but must return { status: "committed" } or { status: "fenced", reason }.`;
    return this.#lose({ code: "journal_failed", message });
  }

  #publish(writes: readonly JournalWrite[]): void {
    if (!this.#options.hasListeners()) return;
    for (const write of writes) if (write.type === "event") this.#options.publish(write.event);
  }

  #lose(reason: LossReason): false {
    if (!this.#lost) {
      this.#lost = true;
      this.#batch?.committed.resolve(false);
      this.#batch = undefined;
      this.#options.onLost(reason);
    }
    return false;
  }
}

function isThenable<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as Partial<Promise<T>> | undefined)?.then === "function";
}

/** The writes of the next commit, in order. The promise resolves to whether it was committed. */
interface WriteBatch {
  readonly writes: JournalWrite[];
  readonly committed: PromiseWithResolvers<boolean>;
}
