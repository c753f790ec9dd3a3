import { setTimeout as setTimeoutPromise } from "node:timers/promises";
import { CapstanError, type ChainError } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import { isClosing, type Store } from "@capstan/store";
import type { KeyedMutex } from "./keyed-mutex.ts";
import { unreadableRunEnd } from "./unreadable-run-end.ts";

/** Pauses before the tries to close a run; the last one repeats. */
const closePausesMs = [0, 250, 1_000, 5_000, 30_000, 120_000] as const;

/** If a run's rows cannot be read at the second try either, it is closed without reading them. */
const readTries = 2;

/** Error codes for corrupt rows. After other errors the rows may be readable later. */
const corruptCodes: ReadonlySet<string> = new Set(["store_failed", "database_corrupt"]);

function isCorrupt(thrown: unknown): boolean {
  return CapstanError.isInstance(thrown) && corruptCodes.has(thrown.code);
}

/** A run that this process has claimed. */
export interface OwnedRun {
  readonly id: string;
  readonly owner: string;
  readonly epoch: number;
}

export interface CloseRetriesOptions {
  readonly store: Store;
  /** Runs one operation of a run at a time. */
  readonly mutex: KeyedMutex;
  readonly isActive: (runId: string) => boolean;
  /** The server stops: the next one closes what this one leaves. */
  readonly isStopping: () => boolean;
  /** Claims it anew; `undefined` if another node was first, or if it has ended. */
  readonly claim: (run: OwnedRun) => Promise<OwnedRun | undefined>;
  /** Ends it in the state that its rows have. */
  readonly end: (run: OwnedRun, why: ChainError) => Promise<void>;
  readonly log: (line: string) => void;
}

/** Ends an owned run. Returns false if it has to be tried again. */
type End = (held: OwnedRun, tries: number) => Promise<boolean>;

/**
 * Closes runs of this process that stopped without an end in the store, because a commit failed or
 * their rows cannot be read. Retries until the store commits the end, so that no run stays in progress
 * without executing.
 */
export class CloseRetries {
  readonly #options: CloseRetriesOptions;
  readonly #closing = new Set<string>();

  constructor(options: CloseRetriesOptions) {
    this.#options = options;
  }

  /** Whether the run is being closed, or a retry is due. */
  has(runId: string): boolean {
    return this.#closing.has(runId);
  }

  /** Closes a run in the background, with as many retries as it takes. */
  closeLater(run: OwnedRun, why: ChainError): Promise<void> {
    return this.#closeBy(run, this.#endFor(why));
  }

  /** Closes a run now; if that fails, retries in the background. */
  closeNow(run: OwnedRun, why: ChainError): Promise<void> {
    return this.#closeNowBy(run, this.#endFor(why));
  }

  /** Closes a run now without reading its rows. @param why for people */
  closeUnreadNow(run: OwnedRun, why: string): Promise<void> {
    return this.#closeNowBy(run, (held) => this.#hasClosedUnread(held, why));
  }

  #endFor(why: ChainError): End {
    return (held, tries) => this.#hasClosed(held, why, tries);
  }

  async #closeNowBy(run: OwnedRun, end: End): Promise<void> {
    if (!(await end(run, 0))) void this.#closeBy(run, end);
  }

  async #closeBy(run: OwnedRun, end: End): Promise<void> {
    if (this.#closing.has(run.id)) return;
    this.#closing.add(run.id);
    try {
      let left: OwnedRun | undefined = run;
      for (let tries = 0; left !== undefined; tries++) {
        const pauseMs = closePausesMs[Math.min(tries, closePausesMs.length - 1)];
        await setTimeoutPromise(pauseMs, undefined, { ref: false });
        if (this.#options.isStopping()) return;
        const held: OwnedRun = left;
        left = await this.#options.mutex.runExclusive(run.id, () =>
          this.#closeAnew(held, end, tries),
        );
      }
    } finally {
      this.#closing.delete(run.id);
    }
  }

  /** Tries to close it in its present epoch. Returns true also if it has another owner by now. */
  async #hasClosed(run: OwnedRun, why: ChainError, tries: number): Promise<boolean> {
    try {
      if (!(await this.#isUnclosed(run))) return true;
      await this.#options.end(run, why);
      return !(await this.#isUnclosed(run));
    } catch (thrown) {
      this.#logFailure(run, thrown);
      if (tries < readTries) return false;
      const why = `What this run had done cannot be read any more, so it was closed: ${errorMessage(thrown)} Begin it anew; "capstan db check" looks for damage.`;
      return this.#hasClosedUnread(run, why);
    }
  }

  /**
   * Tries to close it in a new epoch: after a failed commit the store accepts no more writes in the old one.
   *
   * @returns the run as it is held now; undefined where there is nothing left to close
   */
  async #closeAnew(run: OwnedRun, end: End, tries: number): Promise<OwnedRun | undefined> {
    try {
      if (!(await this.#isUnclosed(run))) return undefined;
      const held = await this.#options.claim(run);
      return held === undefined || (await end(held, tries)) ? undefined : held;
    } catch (thrown) {
      this.#logFailure(run, thrown);
      return run;
    }
  }

  async #isUnclosed({ owner, id, epoch }: OwnedRun): Promise<boolean> {
    const { store, isActive } = this.#options;
    try {
      const now = await store.getRun({ owner, id });
      if (now === undefined || isClosing(now.status) || isActive(id)) return false;
      return now.epoch === epoch && now.status === "in_progress";
    } catch (thrown) {
      // Whether it still is in this epoch is seen as it is claimed, or its end is written.
      if (isCorrupt(thrown)) return !isActive(id);
      throw thrown;
    }
  }

  #logFailure({ id }: OwnedRun, thrown: unknown): void {
    this.#options.log(`Run ${id} could not be closed: ${errorMessage(thrown)}`);
  }

  /** Closes it without reading its rows. @param why for people */
  async #hasClosedUnread(run: OwnedRun, why: string): Promise<boolean> {
    const { store, log } = this.#options;
    const { id: runId, epoch } = run;
    try {
      const writes = unreadableRunEnd(why, Date.now());
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
  async #hasWholeVariables({ owner, id: runId }: OwnedRun): Promise<boolean> {
    try {
      await this.#options.store.readManifest({ owner, runId });
      return true;
    } catch (thrown) {
      return !isCorrupt(thrown);
    }
  }
}
