import type { RunRef } from "@capstan/store";

/**
 * Hands out runs that this node has no room for, and tells when deadlines are over. It is only a
 * messenger, and may lose what it is given: what is to be done is in the store, where every node
 * looks for what lies there.
 */
export interface RunQueue {
  /** Whether it can be relied on now. Where not, each node helps itself from the store. */
  readonly isUp: boolean;
  /** Somebody with room is to take these up. */
  offer(runs: readonly RunRef[]): void;
  /** Somebody is to look at deadlines then, in ms since the epoch. False where that cannot be relied on. */
  wakeAt(at: number): boolean;
  /** Takes nothing more. Resolves once what was taken is with its run. */
  close(): Promise<void>;
}

/** What a queue does with what it hands out. */
export interface QueueConsumer {
  /** Whether a run could be taken up here now. */
  readonly hasRoom: () => boolean;
  /** Resolves once a run could be taken up here. */
  readonly room: (signal: AbortSignal) => Promise<void>;
  /** Takes a run up, where it still waits and there is room. */
  readonly take: (run: RunRef) => Promise<void>;
  /** A deadline is over. */
  readonly wake: () => Promise<void>;
}
