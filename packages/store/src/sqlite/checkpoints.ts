import type { Durability } from "../live/store.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { startThread, type Thread } from "../live/thread.ts";

/** The options of the thread of checkpoints. */
export interface CheckpointThreadOptions {
  readonly path: string;
  /**
   * A descriptor of the same file that stays open until all connections are closed: if a process
   * closes a file, it loses the locks of its connections on it.
   */
  readonly file: number;
  readonly durability: Durability;
}

/** The length of the log, in pages, at which it is moved into the database: 8 MB. */
const targetPages = 2_000;

/**
 * Checkpoints the write-ahead log in a separate thread. A checkpoint in the writer would delay all
 * callers by tens of milliseconds, once every few thousand pages. The thread copies most pages and
 * syncs them. The writer then copies the pages committed meanwhile, so that the log
 * starts over and does not grow.
 */
export class Checkpoints {
  readonly #sql: SqliteConnection;
  readonly #options: CheckpointThreadOptions;
  #thread: Thread<"copy", { readonly log: number }> | undefined;
  #copying: Promise<void> | undefined;
  #changedThen = 0;
  /**
   * The volume of changes between two checkpoints, adjusted so that the log reaches its intended
   * length.
   */
  #every = 1_000;

  constructor(sql: SqliteConnection, options: CheckpointThreadOptions) {
    this.#sql = sql;
    this.#options = options;
  }

  /**
   * Starts a checkpoint if enough was committed.
   *
   * @param changed the volume of changes since the start
   * @param cleared the volume at which the writer itself last cleared the log
   * @returns a promise for the end of the checkpoint, or undefined if none runs
   */
  committed(changed: number, cleared = 0): Promise<void> | undefined {
    const rows = changed - Math.max(this.#changedThen, cleared);
    if (this.#copying !== undefined || rows < this.#every) return this.#copying;
    this.#changedThen = changed;
    // Started late, so that opening the store does not wait for the thread.
    this.#thread ??= startThread("checkpoint-thread", import.meta.url, this.#options);
    this.#copying = this.#thread
      .ask("copy")
      .then(({ log }) => this.#finish(log, rows))
      // The log keeps its content, and the next attempt follows after the same volume.
      .catch(() => this.#release())
      .finally(() => (this.#copying = undefined));
    return this.#copying;
  }

  async stop(): Promise<void> {
    await this.#thread?.stop();
    await this.#copying;
  }

  /**
   * Releases the thread, which can have died, for example because of a full disk. The next attempt
   * starts another one.
   */
  #release(): void {
    void this.#thread?.stop();
    this.#thread = undefined;
  }

  #finish(pages: number, rows: number): void {
    // The volume cannot be measured if the log was empty or the writer was clearing it.
    if (pages > 0)
      this.#every = Math.min(100_000, Math.max(1_000, Math.round((rows * targetPages) / pages)));
    this.#sql.get("PRAGMA wal_checkpoint(PASSIVE)");
  }
}
