import { shortJson } from "../../json/short-json.ts";
import { errorMessage } from "../../base/error-message.ts";
import type { VariableSystem } from "../../variables/variable-system.ts";
import type { VariableChange } from "../../variables/variable.ts";
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

/**
 * Writes what happens in a chain, and tells of it once it is written. What is said before the
 * journal takes the next commit goes into that one. Changes of variables go with what is said
 * next, so that a call's end and what it kept are one. Who acts on what was said waits until it
 * is `written`; for what nobody waits for there is no promise.
 */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #unsubscribe: () => void;
  #changes: JournalWrite[] = [];
  #open: GatheredWrites | undefined;
  /** Of the newest commit that is under way. */
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

  /** Whether anybody keeps or hears what is said now; where nobody does, it need not be said. */
  get isHeard(): boolean {
    return this.#options.journal !== undefined || this.#options.isHeard();
  }

  /** Says what happened in one moment: all of it is kept, or none. */
  say(writes: readonly JournalWrite[]): void {
    if (this.#lost) return;
    const { journal } = this.#options;
    if (journal === undefined) return this.#tell(writes);
    if (journal.beforeNext !== undefined) return this.#gather(journal, writes);
    const changes = this.#changes;
    if (changes.length > 0) this.#changes = [];
    if (changes.length + writes.length > 0) void this.#write(journal, changes.concat(writes));
  }

  event(event: ChainEvent): void {
    this.say([{ type: "event", event }]);
  }

  /** Whether all that was said is written: true once it is, false where it never will be. Never rejects. */
  written(): boolean | Promise<boolean> {
    if (this.#lost) return false;
    if (this.#open !== undefined) return this.#open.written();
    return this.#last ?? true;
  }

  /** Waits while too much is under way, so that a fast model cannot outrun a slow disk. */
  ready(): Promise<unknown> | undefined {
    const said = this.#underWay + (this.#open?.writes.length ?? 0);
    return said > underWayLimit ? (this.#open?.written() ?? this.#last) : undefined;
  }

  /** Writes nothing that is said from now on: another process will carry the chain on from what is written. */
  detach(): void {
    this.#take();
    this.#lost = true;
  }

  close(): void {
    this.#unsubscribe();
  }

  #gather(journal: Journal, writes: readonly JournalWrite[]): void {
    const known = this.#open;
    const open = known ?? new GatheredWrites();
    if (this.#changes.length > 0) {
      for (const change of this.#changes) open.add(change);
      this.#changes = [];
    }
    for (const write of writes) open.add(write);
    if (known !== undefined || open.writes.length === 0) return;
    this.#open = open;
    try {
      journal.beforeNext?.(this.#take);
    } catch (thrown) {
      this.#lose({ code: "journal_failed", message: errorMessage(thrown) });
    }
  }

  /** The journal takes what was said; nothing more is added to it. */
  readonly #take = (): void => {
    const open = this.#open;
    const { journal } = this.#options;
    if (open === undefined || journal === undefined) return;
    this.#open = undefined;
    open.tell(this.#write(journal, open.writes));
  };

  #write(journal: Journal, writes: readonly JournalWrite[]): boolean | Promise<boolean> {
    let outcome;
    try {
      outcome = journal.commit(writes);
    } catch (thrown) {
      return this.#lose({ code: "journal_failed", message: errorMessage(thrown) });
    }
    if (!isThenable(outcome)) return this.#taken(outcome, writes);
    this.#underWay += writes.length;
    const answered = (): void => {
      this.#underWay -= writes.length;
      if (this.#underWay === 0) this.#last = undefined;
    };
    this.#last = Promise.resolve(outcome).then(
      (result) => {
        answered();
        return this.#taken(result, writes);
      },
      (thrown: unknown) => {
        answered();
        return this.#lose({ code: "journal_failed", message: errorMessage(thrown) });
      },
    );
    return this.#last;
  }

  /** Journals are written by others: what is no yes is none. */
  #taken(outcome: CommitOutcome | undefined, writes: readonly JournalWrite[]): boolean {
    if (outcome?.status === "committed") {
      this.#tell(writes);
      return true;
    }
    if (outcome?.status === "fenced")
      return this.#lose({ code: "fenced", message: outcome.reason });
    const message = `The journal's commit gave ${shortJson(outcome)}, and should give { status: "committed" } or { status: "fenced", reason }.`;
    return this.#lose({ code: "journal_failed", message });
  }

  #tell(writes: readonly JournalWrite[]): void {
    if (!this.#options.isHeard()) return;
    for (const write of writes) if (write.type === "event") this.#options.publish(write.event);
  }

  #lose(reason: LostReason): false {
    if (!this.#lost) {
      this.#lost = true;
      this.#open?.tell(false);
      this.#open = undefined;
      this.#options.onLost(reason);
    }
    return false;
  }
}

function isThenable<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as Partial<Promise<T>> | undefined)?.then === "function";
}
