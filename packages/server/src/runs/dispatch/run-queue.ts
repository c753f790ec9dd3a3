import type { RunRef } from "@capstan/store";

/**
 * Delivers runs to nodes with free slots, and notifies a node when a deadline has passed. The queue
 * can lose jobs, because the store has all pending work and every node sweeps the store.
 */
export interface RunQueue {
  /** Whether it is available now. If not, each node claims runs from the store. */
  readonly isUp: boolean;
  /** Makes a node with a free slot claim these runs. */
  offer(runs: readonly RunRef[]): void;
  /**
   * Makes a node check deadlines at that time, in ms since the epoch. Returns false if the queue is
   * not available.
   */
  wakeAt(at: number): boolean;
  /** Stops consuming. Resolves when the jobs in progress are done. */
  close(): Promise<void>;
}

/** How a node handles the jobs of a queue. */
export interface QueueConsumer {
  /** Whether a slot is free. */
  readonly hasFreeSlot: () => boolean;
  /** Resolves when a slot is free. */
  readonly freeSlot: (signal: AbortSignal) => Promise<void>;
  /** Claims a run if it still waits and a slot is free. */
  readonly claim: (run: RunRef) => Promise<void>;
  /** Checks deadlines. */
  readonly wake: () => Promise<void>;
}
