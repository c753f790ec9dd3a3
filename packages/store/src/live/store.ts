import type { CapstanError } from "@capstan/core";
import type { UnnumberedEvent } from "../records/records.ts";
import type { Nodes } from "../records/nodes.ts";
import type { StoreReader } from "./create-store-reader.ts";
import type { StoreWrite } from "../records/store-writes.ts";
import type { OutcomesOf } from "../records/write-outcomes.ts";

/** What a subscriber is told, after the commit and in order. */
export interface Published {
  /** As they were written: whoever wants their numbers counts on from `seqBefore`. */
  readonly events: readonly UnnumberedEvent[];
  /** The number of the event before them. @default 0, where there are none */
  readonly seqBefore?: number;
  /** The run has ended, or is gone: nothing more will come. */
  readonly closed: boolean;
  /** Another node wrote to the run, or may have: read its events from the store. */
  readonly byOtherNode?: boolean;
}

/** Where runs, and all that belongs to them, are kept. */
export interface Store extends StoreReader {
  /**
   * Makes all the changes of one call, or none; resolves when they are durable. Calls are done in
   * the order in which they were made; a caller may make several and await the last. Where one
   * write is not accepted, its outcome says why and the others are `skipped`.
   *
   * @throws CapstanError `store_failed`, `disk_full` or `store_closed`: nothing of the call was written.
   */
  write<const W extends readonly StoreWrite[]>(writes: W): Promise<OutcomesOf<W>>;
  /** Deletes blobs that no run refers to any more. @returns the number of deleted blobs */
  collectBlobs(signal?: AbortSignal): Promise<number>;
  /** Calls back right before the next commit is made: what is written in the call is part of it. */
  beforeNext(write: () => void): void;
  /** Tells of a run's events as they are committed. The listener must be quick and must not throw. */
  subscribe(runId: string, listener: (published: Published) => void): () => void;
  /** Writes the address into the lock's note, for other commands. */
  announce(url: string): Promise<void>;
  /** Who else has the same database; absent where one process has it. */
  readonly nodes?: Nodes;
  /** Resolves if its writer died: who has it should end, and the next one goes on. Absent where that cannot be. */
  readonly died?: Promise<CapstanError>;
  /** Finishes the writes in progress and releases the folder. */
  close(): Promise<void>;
}

/** Who holds a data directory. */
export interface LockHolder {
  readonly pid: number;
  /** Where it listens; absent until it does. */
  readonly url?: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
}

/** `full` survives a power cut; `process` a kill, but not a power cut, for slow disks. */
export type Durability = "full" | "process";
