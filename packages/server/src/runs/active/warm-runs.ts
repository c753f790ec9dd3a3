import type { ChainState, VariableSystem } from "@capstan/core";
import { LruCache } from "@capstan/core/host";
import type { RunRecord, RunVersion } from "@capstan/store";
import type { StoredChain } from "./chain-state.ts";
import type { ChangedVariables } from "./run-journal.ts";

export interface WarmLimits {
  readonly maxEntries: number;
  /** Approximate memory of all entries together, in bytes. */
  readonly maxBytes: number;
}

/** The cached state of a suspended run, which a claim need not read from the store. */
export interface WarmRun {
  /** The record, or `undefined` if it may have changed and must be read from the store. */
  readonly run?: RunRecord;
  readonly chain?: StoredChain;
  readonly variables?: VariableSystem;
}

interface Entry {
  /**
   * The number of edits of the variables at the time of caching. After a later edit the variables
   * are read from the store.
   */
  readonly version: RunVersion;
  readonly variables: VariableSystem;
  /** The record at the claim and the state of the chain, if the run is suspended. */
  readonly suspended?: { readonly run: RunRecord; readonly state: ChainState };
  readonly bytes: number;
}

/**
 * Caches the most recently used runs that stopped in this process: their variables, and the chains
 * of suspended runs. A run that is answered or continued soon is not read from the store. The cache
 * only has copies of stored data, so an eviction loses no data.
 */
export class WarmRuns {
  readonly #limits: WarmLimits;
  /** Ordered by use: the last entry is the most recently used one. */
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;
  readonly #changed = new LruCache<string, ChangedVariables>(1_000);

  constructor(limits: WarmLimits) {
    this.#limits = limits;
  }

  /**
   * Caches a run that stopped.
   *
   * @param run the run as it was claimed
   * @param state the state of its chain, if the run is suspended in the store. It is not cached if
   * a user can change it: if a result is in review, or the outcome of a call is unknown
   */
  set(run: RunRecord, variables: VariableSystem, state?: ChainState): void {
    const canChange = state?.calls.some(
      ({ status }) => status === "in_review" || status === "outcome_unknown",
    );
    this.#set(run, variables, state && canChange === false ? { run, state } : undefined);
  }

  /**
   * Caches the edited variables of an inactive run. @param version the run's version after the edit
   */
  edit(version: RunVersion, variables: VariableSystem): void {
    const entry = this.#entries.get(version.id);
    const isSame = entry?.version.epoch === version.epoch;
    this.#set(version, variables, isSame ? entry?.suspended : undefined);
  }

  /**
   * Returns the cached state of a claimed run and evicts it, because the run changes it from now
   * on. Returns nothing if the run has been claimed in between.
   */
  take({ epoch, edits, ...claimed }: RunVersion & { readonly lastSeq: number }): WarmRun {
    const entry = this.#entries.get(claimed.id);
    this.evict([claimed.id]);
    if (entry?.version.epoch !== epoch - 1) return {};
    const { version, variables, suspended } = entry;
    return {
      ...(version.edits === edits && { variables }),
      ...(suspended && {
        chain: chainOf(suspended.run, suspended.state),
        // A run also changes when its parent is deleted.
        ...(suspended.run.parentId === null && {
          run: { ...suspended.run, epoch, edits, lastSeq: claimed.lastSeq },
        }),
      }),
    };
  }

  /**
   * Returns a copy of a run's variables if they are cached in this version. It is a copy because
   * siblings must not see each other's changes.
   */
  forkVariables({ id, epoch, edits }: RunVersion): VariableSystem | undefined {
    const entry = this.#entries.get(id);
    if (entry?.version.epoch !== epoch || entry.version.edits !== edits) return undefined;
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    return entry.variables.fork();
  }

  /** Whether a run's variables are cached in this version. */
  has({ id, epoch, edits }: RunVersion): boolean {
    const version = this.#entries.get(id)?.version;
    return version?.epoch === epoch && version.edits === edits;
  }

  /** Returns the list of a new run's changed variables, which its journal fills. */
  listChanges(runId: string): ChangedVariables {
    const changed: ChangedVariables = { types: new Map(), isComplete: false };
    this.#changed.set(runId, changed);
    return changed;
  }

  /**
   * Returns the variables that an ended run has changed, with their types, or `undefined` if the
   * store must be read. A removed variable has no type.
   */
  changedBy(runId: string): ChangedVariables["types"] | undefined {
    const changed = this.#changed.get(runId);
    return changed?.isComplete === true ? changed.types : undefined;
  }

  /** Evicts runs, for example because they have been deleted. */
  evict(runIds: readonly string[]): void {
    for (const runId of runIds) {
      this.#bytes -= this.#entries.get(runId)?.bytes ?? 0;
      this.#entries.delete(runId);
    }
  }

  #set(
    { id, epoch, edits }: RunVersion,
    variables: VariableSystem,
    suspended?: Entry["suspended"],
  ) {
    const { maxEntries, maxBytes } = this.#limits;
    this.evict([id]);
    const chainBytes = suspended === undefined ? 0 : sizeOf(suspended);
    const bytes = variables.bytesInMemory + chainBytes;
    // An entry that is larger than the whole cache evicts nothing.
    if (bytes > maxBytes) return;
    const version = { id, epoch, edits };
    this.#entries.set(id, { version, variables, bytes, ...(suspended && { suspended }) });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= maxEntries && this.#bytes <= maxBytes) break;
      this.evict([oldest]);
    }
  }
}

function chainOf(run: RunRecord, state: ChainState): StoredChain {
  return {
    state: { ...state, startTime: run.createdAt },
    roundsStarted: state.round,
    unfinishedItems: [],
    wasWaiting: true,
    hasStarted: true,
    crashes: 0,
  };
}

function sizeOf({ run, state }: NonNullable<Entry["suspended"]>): number {
  return memorySize(state) + memorySize(run.request) + memorySize(run.input);
}

/** Estimated bytes of a number, a key or an object without its texts. */
const bytesEach = 8;

/**
 * Estimates how many bytes plain data takes in memory. Shared values are counted each time they
 * occur.
 */
function memorySize(data: unknown): number {
  if (typeof data === "string") return bytesEach + data.length;
  if (typeof data !== "object" || data === null) return bytesEach;
  let size = bytesEach;
  if (Array.isArray(data)) for (const one of data) size += memorySize(one);
  else for (const one of Object.values(data)) size += bytesEach + memorySize(one);
  return size;
}
