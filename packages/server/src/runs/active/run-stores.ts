import type { Store } from "@capstan/store";

/** The stores of runs: which one a run is in is decided when it starts. */
export interface RunStores {
  /** Runs that are kept, conversations, users' rules, and the grants that hold in every session. */
  readonly durable: Store;
  /** Each store once. */
  readonly all: readonly Store[];
  /** The store of a run. */
  of(runId: string): Store;
}
