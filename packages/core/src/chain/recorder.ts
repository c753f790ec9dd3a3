import { shortJson } from "../arguments/short-json.ts";
import { errorMessage } from "../errors/error-message.ts";
import type { VariableSystem } from "../variables/variable-system.ts";
import type { VariableChange } from "../variables/variable.ts";
import type { ChainEvent } from "./chain-event.ts";
import { GatheredWrites } from "./gathered-writes.ts";
import type { CommitOutcome, Journal, JournalWrite } from "./journal.ts";

/** Writes under way before the loop waits for them. */
const underWayLimit = 128;

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

/** What was said since the journal last took something. */
interface OpenCommit {
  readonly gathered: GatheredWrites;
  readonly written: PromiseWithResolvers<boolean>;
}

/**
 * Writes what happens in a chain, and tells of it once it is written. What is said before the
 * journal takes the next commit goes into that one. Changes of variables go with what is said
 * next, so that a call's end and what it kept are one.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #unsubscribe: () => void;
  #changes: JournalWrite[] = [];
  #open: OpenCommit | undefined;
  #last: Promise<boolean> | undefined;
  #underWay = 0;
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
    const { journal } = this.#options;
    if (journal === undefined) return this.#tell(writes);
    const changes = this.#changes;
    if (changes.length > 0) this.#changes = [];
    if (journal.beforeNext === undefined) return this.#write(journal, changes.concat(writes));
    return this.#gather(changes, writes);
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
    const said = this.#underWay + (this.#open?.gathered.writes.length ?? 0);
    return said > underWayLimit ? (this.#open?.written.promise ?? this.#last) : undefined;
  }

  /** Writes nothing that is said from now on: another process will carry the chain on from what is written. */
  detach(): void {
    if (this.#open !== undefined) this.#take(this.#open);
    this.#lost = true;
  }

  close(): void {
    this.#unsubscribe();
  }

  #gather(
    changes: readonly JournalWrite[],
    writes: readonly JournalWrite[],
  ): boolean | Promise<boolean> {
    const known = this.#open;
    const open = known ?? {
      gathered: new GatheredWrites(),
      written: Promise.withResolvers<boolean>(),
    };
    for (const change of changes) open.gathered.add(change);
    for (const write of writes) open.gathered.add(write);
    if (known !== undefined) return open.written.promise;
    this.#open = open;
    try {
      this.#options.journal?.beforeNext?.(() => this.#take(open));
    } catch (thrown) {
      return this.#lose({ code: "journal_failed", message: errorMessage(thrown) });
    }
    return open.written.promise;
  }

  /** The journal takes what was said; nothing more is added to it. */
  #take(open: OpenCommit): void {
    const { journal } = this.#options;
    if (this.#open !== open || journal === undefined) return;
    this.#open = undefined;
    open.written.resolve(this.#write(journal, open.gathered.writes));
  }

  #write(journal: Journal, writes: readonly JournalWrite[]): boolean | Promise<boolean> {
    let outcome;
    try {
      outcome = journal.commit(writes);
    } catch (thrown) {
      return this.#lose({ code: "journal_failed", message: errorMessage(thrown) });
    }
    if (!isThenable(outcome)) return this.#taken(outcome, writes);
    this.#underWay += writes.length;
    this.#last = Promise.resolve(outcome).then(
      (result) => {
        this.#underWay -= writes.length;
        return this.#taken(result, writes);
      },
      (thrown: unknown) => {
        this.#underWay -= writes.length;
        return this.#lose({ code: "journal_failed", message: errorMessage(thrown) });
      },
    );
    return this.#last;
  }

  /** Journals are written by others: what is no yes is none. */
  #taken(outcome: CommitOutcome | undefined, writes: readonly JournalWrite[]): boolean {
    if (outcome?.status === "committed") return this.#tell(writes);
    if (outcome?.status === "fenced")
      return this.#lose({ code: "fenced", message: outcome.reason });
    const message = `The journal's commit gave ${shortJson(outcome)}, and should give { status: "committed" } or { status: "fenced", reason }.`;
    return this.#lose({ code: "journal_failed", message });
  }

  #tell(writes: readonly JournalWrite[]): true {
    for (const write of writes) if (write.type === "event") this.#options.publish(write.event);
    return true;
  }

  #lose(reason: LostReason): false {
    if (!this.#lost) {
      this.#lost = true;
      this.#open?.written.resolve(false);
      this.#open = undefined;
      this.#options.onLost(reason);
    }
    return false;
  }
}

function isThenable<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as Partial<Promise<T>> | undefined)?.then === "function";
}
