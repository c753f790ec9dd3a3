import type { Durability } from "../live/store.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { startThread, type Thread } from "../live/thread.ts";

/** What the checkpoints' thread is started with. */
export interface CheckpointThreadOptions {
  readonly path: string;
  /**
   * The same, open for writing until all connections to it are closed: as a process closes a file,
   * it loses the locks that its connections have on it.
   */
  readonly file: number;
  readonly durability: Durability;
}

/** So many pages the log should have, about, as it is moved into the database: 8 MB. */
const aim = 2_000;

/**
 * Moves the write-ahead log into the database beside the writing. Done by the writer's own commit it
 * held up everything for tens of milliseconds, every few thousand pages. The thread copies nearly
 * all, and waits until the disk has it; what was committed meanwhile the writer adds, so that the
 * log begins anew and does not grow.
 */
export class Checkpoints {
  readonly #sql: SqliteConnection;
  readonly #options: CheckpointThreadOptions;
  #thread: Thread<"copy", { readonly log: number }> | undefined;
  #copying: Promise<void> | undefined;
  #changedThen = 0;
  /** After so many changed rows, or pages of text: as many as made the log as long as it should be. */
  #every = 1_000;

  constructor(sql: SqliteConnection, options: CheckpointThreadOptions) {
    this.#sql = sql;
    this.#options = options;
  }

  /**
   * @param changed how much was changed since the beginning
   * @param cleared the same as the log was last emptied by the writer itself: it is counted from there
   * @returns where the log is being moved: when that is done
   */
  committed(changed: number, cleared = 0): Promise<void> | undefined {
    const rows = changed - Math.max(this.#changedThen, cleared);
    if (this.#copying !== undefined || rows < this.#every) return this.#copying;
    this.#changedThen = changed;
    // The first ones are long after the start, which need not wait for the thread.
    this.#thread ??= startThread("checkpoint-thread", import.meta.url, this.#options);
    this.#copying = this.#thread
      .ask("copy")
      .then(({ log }) => this.#finish(log, rows))
      // Nothing is lost: the log stays, and the next try is after as much again.
      .catch(() => this.#release())
      .finally(() => (this.#copying = undefined));
    return this.#copying;
  }

  async stop(): Promise<void> {
    await this.#thread?.stop();
    await this.#copying;
  }

  /** Releases the thread, which may have died, for example of a full disk. The next attempt starts another. */
  #release(): void {
    void this.#thread?.stop();
    this.#thread = undefined;
  }

  #finish(pages: number, rows: number): void {
    // There is nothing to measure where the log was empty, or the writer was emptying it.
    if (pages > 0)
      this.#every = Math.min(100_000, Math.max(1_000, Math.round((rows * aim) / pages)));
    this.#sql.get("PRAGMA wal_checkpoint(PASSIVE)");
  }
}
