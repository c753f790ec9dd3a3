import { AsyncLocalStorage } from "node:async_hooks";
import { CapstanError } from "@capstan/core";
import {
  type ApprovalRecord,
  type CreationCursor,
  type CorruptPermission,
  type GrantRecord,
  storedOutcomes,
  type Page,
  type RequestKey,
  type RunRecord,
  type Store,
  type StoreWrite,
} from "@capstan/store";

/** Limits of the runs in memory: their lifetime and their number. */
export interface MemoryRunLimits {
  /**
   * Ms after which an ended run is deleted. A run that waits for an answer is deleted after a day.
   */
  readonly ttlMs: number;
  /** Above this number of ended runs the oldest are deleted at once. */
  readonly maxRuns: number;
}

const defaultMemoryRunLimits: MemoryRunLimits = { ttlMs: 60 * 60 * 1_000, maxRuns: 1_000 };

const dayMs = 24 * 60 * 60 * 1_000;

type RunKey = Pick<RunRecord, "id" | "owner">;
type ListApprovals = Store["listApprovals"];
type ListGrants = Store["listGrants"];

interface RunStoresOptions {
  /**
   * The store of durable runs, conversations, users' rules, and the grants that apply in every
   * session.
   */
  readonly durable: Store;
  /** The store of runs in memory. @default no such store */
  readonly memory?: Store | undefined;
  readonly limits?: MemoryRunLimits | undefined;
}

/** The stores of runs. The store of a run is chosen once, before the run is created. */
export class RunStores {
  readonly durable: Store;
  readonly memory: Store | undefined;
  /** All stores, without duplicates. */
  readonly all: readonly Store[];
  readonly #limits: MemoryRunLimits;
  readonly #inMemory = new Set<string>();
  /** The expiry timers of stopped runs in memory, oldest first. */
  readonly #timers = new Map<string, { readonly run: RunKey; readonly timer: NodeJS.Timeout }>();
  #onExpire: (run: RunKey) => void = () => {};

  constructor({ durable, memory, limits = defaultMemoryRunLimits }: RunStoresOptions) {
    this.durable = durable;
    this.memory = memory;
    this.all = memory === undefined ? [durable] : [durable, memory];
    this.#limits = limits;
  }

  /** Returns the store of a run. */
  of(runId: string): Store {
    return this.memory !== undefined && this.#inMemory.has(runId) ? this.memory : this.durable;
  }

  /** Returns the store for a new run. */
  forNew({ isDurable }: { readonly isDurable: boolean }): Store {
    if (isDurable) return this.durable;
    if (this.memory !== undefined) return this.memory;
    throw new Error("This service has no store for unstored runs: pass `memory`.");
  }

  /** Assigns a run to the memory store. Call this before the run is created. */
  placeInMemory(runId: string): void {
    this.#inMemory.add(runId);
  }

  /** Sets the listener for expired runs in memory. */
  setExpiryListener(listener: (run: RunKey) => void): void {
    this.#onExpire = listener;
  }

  /** Schedules the deletion of a run in memory that has ended or suspended. */
  stopped(run: RunKey, isWaiting: boolean): void {
    if (!this.#inMemory.has(run.id)) return;
    this.#unschedule(run.id);
    const ms = isWaiting ? dayMs : this.#limits.ttlMs;
    this.#timers.set(run.id, { run, timer: setTimeout(() => this.#expire(run), ms).unref() });
    for (const { run: oldest } of this.#timers.values()) {
      if (this.#timers.size <= this.#limits.maxRuns) break;
      this.#expire(oldest);
    }
  }

  /** Removes the store assignments of runs that were deleted or not created. */
  release(runIds: readonly string[]): void {
    for (const runId of runIds) {
      this.#unschedule(runId);
      this.#inMemory.delete(runId);
    }
  }

  /** Finds an approval in the store of its run. */
  async getApproval(query: {
    readonly owner: string;
    readonly id: string;
  }): Promise<ApprovalRecord | undefined> {
    const found = await Promise.all(this.all.map((store) => store.getApproval(query)));
    return found.find((approval) => approval !== undefined);
  }

  /** Returns the list cursor of an approval, even if the approval is corrupt. */
  async findApprovalCursor(query: {
    readonly owner: string;
    readonly id: string;
  }): Promise<CreationCursor | undefined> {
    const found = await Promise.all(this.all.map((store) => store.findApprovalCursor(query)));
    return found.find((cursor) => cursor !== undefined);
  }

  /** Lists the approvals of all stores, newest first. */
  async listApprovals(query: Parameters<ListApprovals>[0]): ReturnType<ListApprovals> {
    const pages = await Promise.all(this.all.map((store) => store.listApprovals(query)));
    return mergePages(pages, (approval) => approval.id, query.limit);
  }

  /** Lists the grants of all stores, newest first. */
  async listGrants(query: Parameters<ListGrants>[0]): ReturnType<ListGrants> {
    const pages = await Promise.all(this.all.map((store) => store.listGrants(query)));
    return mergePages(pages, grantId, query.limit);
  }

  #expire(run: RunKey): void {
    this.#unschedule(run.id);
    this.#onExpire(run);
  }

  #unschedule(runId: string): void {
    clearTimeout(this.#timers.get(runId)?.timer);
    this.#timers.delete(runId);
  }
}

/**
 * Merges the pages of several stores or owners into one, in cursor order. A page can end before its
 * limit, so entries that are older than its last one are left for the next page.
 */
export function mergePages<T extends Pick<CreationCursor, "createdSeq">>(
  pages: readonly Page<T>[],
  idOf: (entry: T) => string,
  limit = 20,
): Page<T> {
  const byCursor = (a: T, b: T): number =>
    b.createdSeq - a.createdSeq || (idOf(a) < idOf(b) ? 1 : -1);
  const [oldest] = pages
    .flatMap(({ data, hasMore }) => (hasMore ? data.slice(-1) : []))
    .toSorted(byCursor);
  const data = pages.flatMap((page) => page.data).toSorted(byCursor);
  const end = oldest === undefined ? limit : Math.min(limit, data.indexOf(oldest) + 1);
  const hasMore = data.length > end || pages.some((page) => page.hasMore);
  return { data: data.slice(0, end), hasMore };
}

/** Returns the id of a grant in a list. */
export function grantId(entry: GrantRecord | CorruptPermission): string {
  return "isCorrupt" in entry ? entry.id : entry.grant.id;
}

/** An idempotency key for a request whose effects are one write. */
export interface KeyClaim {
  readonly owner: string;
  readonly key: RequestKey;
  /** The outcomes of that write, if an earlier try has committed it. */
  readonly known: readonly unknown[] | undefined;
  /** Whether this or an earlier try has committed the write. */
  isTaken: boolean;
}

const claims = new AsyncLocalStorage<KeyClaim>();

/**
 * Handles a request. Its first effect also stores the request's key, in the same commit; a repeated
 * request writes nothing.
 */
export function withClaim<T>(claim: KeyClaim, serve: () => Promise<T>): Promise<T> {
  return claims.run(claim, serve);
}

const effects: ReadonlySet<StoreWrite["type"]> = new Set([
  "add-store-files",
  "answer-call",
  "cancel-batch",
  "change-override",
  "change-store-file",
  "delete-agent",
  "delete-conversation",
  "delete-file",
  "delete-run",
  "delete-thread-object",
  "delete-vector-store",
  "edit-variables",
  "remove-store-file",
  "reset-override",
  "revoke-grant",
  "save-agent",
  "save-thread-object",
  "save-vector-store",
  "update-conversation",
]);

/** Returns a store whose `write` stores the claim of `withClaim` in the same commit as the first effect. */
export function claimingStore(store: Store): Store {
  async function write(writes: readonly StoreWrite[]): Promise<readonly unknown[]> {
    const claim = claims.getStore();
    if (claim === undefined || claim.isTaken || !writes.some(({ type }) => effects.has(type)))
      return store.write(writes);
    claim.isTaken = true;
    if (claim.known !== undefined) return claim.known;
    const { owner, key } = claim;
    const taking = { type: "claim-key", owner, key, storesOutcomes: true } as const;
    const outcomes = await store.write([...writes, taking]);
    if (outcomes.at(-1)?.status !== "known") return outcomes.slice(0, -1);
    // A concurrent repeat of the same request was committed first.
    const first = await store.getRequestKey({ owner, id: key.id });
    if (first?.digest !== key.digest || first.resourceId !== storedOutcomes)
      throw new CapstanError({
        code: "request_in_progress",
        message:
          "Another request with this Idempotency-Key is in progress. Retry when it has ended.",
      });
    return JSON.parse(first.response ?? "[]") as readonly unknown[];
  }
  return Object.assign(Object.create(store) as Store, { write });
}
