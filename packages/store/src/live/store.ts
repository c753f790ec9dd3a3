import type { CapstanError } from "@capstan/core";
import type { UnnumberedEvent } from "../records/records.ts";
import type { Nodes } from "../records/nodes.ts";
import type { UserChanges } from "../records/user-change.ts";
import type { StoreReader } from "./create-store-reader.ts";
import type { StoreWrite } from "../records/store-writes.ts";
import type { ReceivedBlob } from "../blobs/received-blob.ts";
import type { OutcomeOf, OutcomesOf } from "../records/write-outcomes.ts";

/** A notification to subscribers, sent after the commit and in order. */
export interface Published {
  /** The committed events; their numbers follow `seqBefore`. */
  readonly events: readonly UnnumberedEvent[];
  /** The number of the event before them. @default 0, if there are none */
  readonly seqBefore?: number;
  /** The run has ended or was deleted: no notification follows. */
  readonly closed: boolean;
  /** Another node has written, or can have written, to the run: read its events from the store. */
  readonly byOtherNode?: boolean;
}

/** The storage of runs and everything that belongs to them. */
export interface Store extends StoreReader {
  /**
   * Applies all changes of one call, or none; resolves when they are durable. Calls are applied in
   * the order in which they are made, so a caller can make several and await the last one. If one
   * write is not accepted, its outcome has the reason, and the others are `skipped`.
   *
   * @throws CapstanError `store_failed`, `disk_full` or `store_closed`: nothing of the call was
   * written
   */
  write<const W extends readonly StoreWrite[]>(writes: W): Promise<OutcomesOf<W>>;
  /**
   * Receives the bytes of a file without holding them all in memory. Pass them to a write of
   * `writeWithBlob`, and call `discard` in any case.
   *
   * @throws the error of `pieces`, or an error of the store
   */
  receiveBlob(pieces: AsyncIterable<Uint8Array>): Promise<ReceivedBlob>;
  /**
   * Stores a blob, and then applies a write whose row refers to it.
   *
   * @throws the errors of `write`
   */
  writeWithBlob<const W extends StoreWrite>(
    blob: Pick<ReceivedBlob, "sha256" | "size" | "keep">,
    write: W,
  ): Promise<OutcomeOf<W>>;
  /** Deletes blobs that no row refers to. @returns the number of deleted blobs */
  collectBlobs(signal?: AbortSignal): Promise<number>;
  /** Calls back right before the next commit; writes of the callback are part of it. */
  beforeNext(write: () => void): void;
  /**
   * Subscribes to a run's events as they are committed. The listener must return quickly and must
   * not throw.
   *
   * @returns removes it
   */
  subscribe(runId: string, listener: (published: Published) => void): () => void;
  /**
   * Calls the listener with the changes of all users' data after each commit, including commits of
   * other nodes, in order. The listener must return quickly and must not throw.
   *
   * @returns removes it
   */
  onUserChanges(listener: (changes: UserChanges) => void): () => void;
  /** Writes the server's address next to the lock, for other commands. */
  announce(url: string): Promise<void>;
  /** The nodes that share the database; absent if only one process can have it. */
  readonly nodes?: Nodes;
  /**
   * Resolves if the writer died: the process should exit, and the next process recovers. Absent if
   * that cannot happen.
   */
  readonly died?: Promise<CapstanError>;
  /** Finishes the writes in progress and releases the folder. */
  close(): Promise<void>;
}

/** The process that holds a data directory. */
export interface LockHolder {
  readonly pid: number;
  /** The address that it listens on; absent until it listens. */
  readonly url?: string;
  /** In ms since the epoch. */
  readonly startedAt: number;
}

/** `full` survives a power failure; `process` survives only a kill, and suits slow disks. */
export type Durability = "full" | "process";
