import type { ScriptWorker } from "./script-worker.ts";

/** Options of `WorkerPool`. */
export interface WorkerPoolOptions {
  /** The maximum number of workers for one script. @default 4 */
  readonly perScript?: number;
  /** The maximum number of workers. @default 16 */
  readonly total?: number;
  /** The number of calls after which a worker is replaced. @default 500 */
  readonly maxCalls?: number;
  /** The age in ms after which a worker is replaced. @default 600000 */
  readonly maxAgeMs?: number;
  /** How long an idle worker waits for its next call, in ms. @default 60000 */
  readonly idleMs?: number;
  /** A monotonic time in ms. @default performance.now */
  readonly now?: () => number;
}

interface Slot {
  readonly key: string;
  readonly worker: ScriptWorker;
  readonly started: number;
  timer?: NodeJS.Timeout;
}

interface Startable {
  readonly key: string;
  readonly start: () => Promise<ScriptWorker>;
}

/** Keeps workers for later calls of the same script, with one call at a time each. */
export class WorkerPool {
  readonly #options: Required<WorkerPoolOptions>;
  /** The idle workers, the longest idle first. */
  readonly #idle: Slot[] = [];
  /** The number of running and starting workers, by key. */
  readonly #live = new Map<string, number>();
  #total = 0;
  readonly #waiting: (() => void)[] = [];
  #isClosed = false;
  readonly #all = new Set<ScriptWorker>();

  constructor(options: WorkerPoolOptions = {}) {
    this.#options = {
      perScript: 4,
      total: 16,
      maxCalls: 500,
      maxAgeMs: 600_000,
      idleMs: 60_000,
      now: () => performance.now(),
      ...options,
    };
  }

  /**
   * Runs a function with a worker that no other call uses meanwhile. Waits if there are too many
   * workers.
   *
   * @param key workers with the same key are interchangeable
   * @param keepsSpare whether the next worker starts as soon as this one cannot run another call,
   *   for languages whose workers run one call each
   * @throws the signal's reason if it aborts before a worker is free
   */
  async use<T>(
    options: Startable & {
      readonly signal: AbortSignal;
      readonly work: (worker: ScriptWorker) => Promise<T>;
      readonly keepsSpare?: boolean | undefined;
    },
  ): Promise<T> {
    const slot = await this.#take(options);
    try {
      return await options.work(slot.worker);
    } finally {
      this.#returnSlot(slot);
      if (options.keepsSpare === true) void this.#startSpare(options);
    }
  }

  /** Ends all workers, including busy ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const slot of this.#idle.splice(0)) clearTimeout(slot.timer);
    const workers = [...this.#all];
    for (const worker of workers) {
      // Keeps this process alive until they have ended.
      worker.hold(true);
      worker.end();
    }
    await Promise.all(workers.map(({ ended }) => ended));
  }

  /** Starts an idle worker if there is none and no call waits for its slot. */
  async #startSpare({ key, start }: Startable): Promise<void> {
    const { perScript, total } = this.#options;
    const isFull = this.#total >= total || (this.#live.get(key) ?? 0) >= perScript;
    const hasSpare = this.#idle.some((slot) => slot.key === key && slot.worker.isUsable);
    if (this.#isClosed || isFull || hasSpare || this.#waiting.length > 0) return;
    try {
      this.#returnSlot(await this.#start({ key, start }));
    } catch {
      // The next call starts a worker itself and reports the reason.
    }
  }

  async #take({ key, start, signal }: Startable & { readonly signal: AbortSignal }): Promise<Slot> {
    for (;;) {
      signal.throwIfAborted();
      if (this.#isClosed) throw new Error("The script workers are stopped.");
      const idle = this.#takeIdle(key);
      if (idle !== undefined) return idle;
      if (this.#ensureFreeSlot(key)) break;
      await this.#waitForSlot(signal);
    }
    return this.#start({ key, start });
  }

  async #start({ key, start }: Startable): Promise<Slot> {
    this.#count(key, 1);
    try {
      const worker = await start();
      this.#all.add(worker);
      void worker.ended.then(() => {
        this.#all.delete(worker);
        this.#count(key, -1);
        this.#wake();
      });
      if (this.#isClosed) worker.end();
      return { key, worker, started: this.#options.now() };
    } catch (error) {
      this.#count(key, -1);
      this.#wake();
      throw error;
    }
  }

  #takeIdle(key: string): Slot | undefined {
    for (let index = this.#idle.length - 1; index >= 0; index--) {
      const slot = this.#idle[index];
      if (slot?.key !== key) continue;
      this.#idle.splice(index, 1);
      clearTimeout(slot.timer);
      if (!slot.worker.isUsable) continue;
      slot.worker.hold(true);
      return slot;
    }
    return undefined;
  }

  #ensureFreeSlot(key: string): boolean {
    if ((this.#live.get(key) ?? 0) >= this.#options.perScript) return false;
    if (this.#total < this.#options.total) return true;
    const [longest] = this.#idle;
    if (longest !== undefined) this.#endWorker(longest);
    // The slot becomes free when this worker has ended.
    return false;
  }

  #returnSlot(slot: Slot): void {
    const { maxCalls, maxAgeMs, idleMs, now } = this.#options;
    const { worker, started } = slot;
    if (
      this.#isClosed ||
      !worker.isUsable ||
      worker.calls >= maxCalls ||
      now() - started >= maxAgeMs
    ) {
      worker.end();
      return;
    }
    worker.hold(false);
    slot.timer = setTimeout(() => this.#endWorker(slot), idleMs);
    slot.timer.unref();
    this.#idle.push(slot);
    this.#wake();
  }

  #endWorker(slot: Slot): void {
    const index = this.#idle.indexOf(slot);
    if (index >= 0) this.#idle.splice(index, 1);
    clearTimeout(slot.timer);
    slot.worker.end();
  }

  #count(key: string, by: number): void {
    const count = (this.#live.get(key) ?? 0) + by;
    if (count === 0) this.#live.delete(key);
    else this.#live.set(key, count);
    this.#total += by;
  }

  /** Waits until a slot is free. Waiting callers check again in the order of arrival. */
  async #waitForSlot(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const abort = () => reject(signal.reason as Error);
    signal.addEventListener("abort", abort, { once: true });
    this.#waiting.push(resolve);
    try {
      await promise;
    } finally {
      signal.removeEventListener("abort", abort);
      const index = this.#waiting.indexOf(resolve);
      if (index >= 0) this.#waiting.splice(index, 1);
    }
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
