import { setTimeout as setTimeoutPromise } from "node:timers/promises";
import { CapstanError, type ChainError } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import { isClosing, type Store } from "@capstan/store";
import type { Serial } from "./serial.ts";
import { unreadEnd } from "./unread-end.ts";

/** Before each try to close a run that the store took no end of; the last one again and again. */
const closePausesMs = [0, 250, 1_000, 5_000, 30_000, 120_000] as const;

/** A run whose rows could not be read at the second try, too, is closed without reading them. */
const readTries = 2;

/** What the store says of rows that are there and cannot be read; others may be readable later. */
const damaged: ReadonlySet<string> = new Set(["store_failed", "database_corrupt"]);

function isDamage(thrown: unknown): boolean {
  return CapstanError.isInstance(thrown) && damaged.has(thrown.code);
}

/** A run that this process has claimed. */
export interface HeldRun {
  readonly id: string;
  readonly owner: string;
  readonly epoch: number;
}

export interface LostRunsOptions {
  readonly store: Store;
  /** One thing at a time of each run. */
  readonly serial: Serial;
  readonly isActive: (runId: string) => boolean;
  /** The server stops: the next one closes what this one leaves. */
  readonly isStopping: () => boolean;
  /** Takes it anew; undefined where another was quicker, or it has ended. */
  readonly claim: (run: HeldRun) => Promise<HeldRun | undefined>;
  /** Ends it as its rows say where it is. */
  readonly end: (run: HeldRun, why: ChainError) => Promise<void>;
  readonly log: (line: string) => void;
}

/** Ends a run that is held. False where it has to be tried again. */
type End = (held: HeldRun, tries: number) => Promise<boolean>;

/**
 * Runs that this process has, and that do not go on: the store did not take all that they wrote, or
 * they cannot be read. Each is closed as soon as the store takes something again, so that it does
 * not seem to go on while nobody works on it.
 */
export class LostRuns {
  readonly #options: LostRunsOptions;
  readonly #closing = new Set<string>();

  constructor(options: LostRunsOptions) {
    this.#options = options;
  }

  /** Whether a run is being closed, or will be again. */
  has(runId: string): boolean {
    return this.#closing.has(runId);
  }

  /** Closes a run later, however often it takes. */
  close(run: HeldRun, why: ChainError): Promise<void> {
    return this.#closeBy(run, this.#ending(why));
  }

  /** Closes it now; where that fails, later. */
  closeNow(run: HeldRun, why: ChainError): Promise<void> {
    return this.#closeNowBy(run, this.#ending(why));
  }

  /** The same without reading what it had done. @param why for people */
  closeUnreadNow(run: HeldRun, why: string): Promise<void> {
    return this.#closeNowBy(run, (held) => this.#hasClosedUnread(held, why));
  }

  #ending(why: ChainError): End {
    return (held, tries) => this.#hasClosed(held, why, tries);
  }

  async #closeNowBy(run: HeldRun, end: End): Promise<void> {
    if (!(await end(run, 0))) void this.#closeBy(run, end);
  }

  async #closeBy(run: HeldRun, end: End): Promise<void> {
    if (this.#closing.has(run.id)) return;
    this.#closing.add(run.id);
    try {
      let left: HeldRun | undefined = run;
      for (let tries = 0; left !== undefined; tries++) {
        const pauseMs = closePausesMs[Math.min(tries, closePausesMs.length - 1)];
        await setTimeoutPromise(pauseMs, undefined, { ref: false });
        if (this.#options.isStopping()) return;
        const held: HeldRun = left;
        left = await this.#options.serial.run(run.id, () => this.#closeAnew(held, end, tries));
      }
    } finally {
      this.#closing.delete(run.id);
    }
  }

  /** Tries it once, in the epoch in which it is held. True as well where it is another's by now. */
  async #hasClosed(run: HeldRun, why: ChainError, tries: number): Promise<boolean> {
    try {
      if (!(await this.#isLost(run))) return true;
      await this.#options.end(run, why);
      return !(await this.#isLost(run));
    } catch (thrown) {
      this.#logFailure(run, thrown);
      if (tries < readTries) return false;
      const why = `What this run had done cannot be read any more, so it was closed: ${errorMessage(thrown)} Begin it anew; "capstan db check" looks for damage.`;
      return this.#hasClosedUnread(run, why);
    }
  }

  /**
   * Tries it in an epoch of its own: where something was lost, nothing more is taken in the old one.
   *
   * @returns the run as it is held now; undefined where there is nothing left to close
   */
  async #closeAnew(run: HeldRun, end: End, tries: number): Promise<HeldRun | undefined> {
    try {
      if (!(await this.#isLost(run))) return undefined;
      const held = await this.#options.claim(run);
      return held === undefined || (await end(held, tries)) ? undefined : held;
    } catch (thrown) {
      this.#logFailure(run, thrown);
      return run;
    }
  }

  async #isLost({ owner, id, epoch }: HeldRun): Promise<boolean> {
    const { store, isActive } = this.#options;
    try {
      const now = await store.getRun({ owner, id });
      if (now === undefined || isClosing(now.status) || isActive(id)) return false;
      return now.epoch === epoch && now.status === "in_progress";
    } catch (thrown) {
      // Whether it still is in this epoch is seen as it is claimed, or its end is written.
      if (isDamage(thrown)) return !isActive(id);
      throw thrown;
    }
  }

  #logFailure({ id }: HeldRun, thrown: unknown): void {
    this.#options.log(`Run ${id} could not be closed: ${errorMessage(thrown)}`);
  }

  /** Closes it without reading what it had done. @param why for people */
  async #hasClosedUnread(run: HeldRun, why: string): Promise<boolean> {
    const { store, log } = this.#options;
    const { id: runId, epoch } = run;
    try {
      const writes = unreadEnd(why, Date.now());
      const end = { type: "journal", runId, epoch, writes, status: "failed" } as const;
      const forget = { type: "forget-variables", runId, epoch } as const;
      const isWhole = await this.#hasWholeVariables(run);
      await store.write(isWhole ? [end] : [forget, end]);
      const rest = isWhole ? "" : " Its variables are those that it began with.";
      log(`Run ${runId} was closed without reading what it had done.${rest}`);
      return true;
    } catch (error) {
      this.#logFailure(run, error);
      return false;
    }
  }

  /** As a run ends its variables are read. False only where they are there and cannot be. */
  async #hasWholeVariables({ owner, id: runId }: HeldRun): Promise<boolean> {
    try {
      await this.#options.store.readManifest({ owner, runId });
      return true;
    } catch (thrown) {
      return !isDamage(thrown);
    }
  }
}
