import { AsyncLocalStorage } from "node:async_hooks";
import {
  type ApprovalRecord,
  type CreationCursor,
  type DamagedPermission,
  type GrantRecord,
  storedOutcomes,
  type Page,
  type RequestKey,
  type RunRecord,
  type Store,
  type StoreWrite,
} from "@capstan/store";

/** How long runs in memory are kept, and how many. */
export interface MemoryRunLimits {
  /** Ms after which an ended run is deleted; one that still waits for an answer is kept for a day. */
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
  /** Runs that are kept, conversations, users' rules, and the grants that hold in every session. */
  readonly durable: Store;
  /** Runs that are not kept. @default there are none */
  readonly memory?: Store | undefined;
  readonly limits?: MemoryRunLimits | undefined;
}

/** The stores of runs. Which one a run is in is decided once, before it is created. */
export class RunStores {
  readonly durable: Store;
  readonly memory: Store | undefined;
  /** Each store once. */
  readonly all: readonly Store[];
  readonly #limits: MemoryRunLimits;
  readonly #inMemory = new Set<string>();
  /** Of the runs in memory that have stopped, oldest first. */
  readonly #timers = new Map<string, { readonly run: RunKey; readonly timer: NodeJS.Timeout }>();
  #onExpire: (run: RunKey) => void = () => {};

  constructor({ durable, memory, limits = defaultMemoryRunLimits }: RunStoresOptions) {
    this.durable = durable;
    this.memory = memory;
    this.all = memory === undefined ? [durable] : [durable, memory];
    this.#limits = limits;
  }

  /** The store of a run. */
  of(runId: string): Store {
    return this.memory !== undefined && this.#inMemory.has(runId) ? this.memory : this.durable;
  }

  /** The store of new runs. */
  forNew({ kept }: { readonly kept: boolean }): Store {
    if (kept) return this.durable;
    if (this.memory !== undefined) return this.memory;
    throw new Error("This service has no store for runs that are not kept: give it `memory`.");
  }

  /** Decides that a run is in memory, before it is created. */
  placeInMemory(runId: string): void {
    this.#inMemory.add(runId);
  }

  /** Sets the listener for runs in memory whose time is over. */
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

  /** Forgets where runs were: they were deleted, or not created. */
  forget(runIds: readonly string[]): void {
    for (const runId of runIds) {
      this.#unschedule(runId);
      this.#inMemory.delete(runId);
    }
  }

  /** Finds an approval, whichever store its run is in. */
  async getApproval(query: {
    readonly owner: string;
    readonly id: string;
  }): Promise<ApprovalRecord | undefined> {
    const found = await Promise.all(this.all.map((store) => store.getApproval(query)));
    return found.find((approval) => approval !== undefined);
  }

  /** Returns the cursor of an approval in the list, even if the approval is damaged. */
  async findApprovalCursor(query: {
    readonly owner: string;
    readonly id: string;
  }): Promise<CreationCursor | undefined> {
    const found = await Promise.all(this.all.map((store) => store.findApprovalCursor(query)));
    return found.find((cursor) => cursor !== undefined);
  }

  /** The approvals of all stores, as each lists them: newest first. */
  async listApprovals(query: Parameters<ListApprovals>[0]): ReturnType<ListApprovals> {
    const pages = await Promise.all(this.all.map((store) => store.listApprovals(query)));
    return merged(pages, (approval) => approval.id, query.limit);
  }

  /** The grants of all stores, as each lists them: newest first. */
  async listGrants(query: Parameters<ListGrants>[0]): ReturnType<ListGrants> {
    const pages = await Promise.all(this.all.map((store) => store.listGrants(query)));
    return merged(pages, grantId, query.limit);
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

/** Merges the pages of several stores into one, in the order that cursors have. */
function merged<T extends Pick<CreationCursor, "createdSeq">>(
  pages: readonly Page<T>[],
  idOf: (entry: T) => string,
  limit = 20,
): Page<T> {
  const data = pages
    .flatMap((page) => page.data)
    .toSorted((a, b) => b.createdSeq - a.createdSeq || (idOf(a) < idOf(b) ? 1 : -1));
  const hasMore = data.length > limit || pages.some((page) => page.hasMore);
  return { data: data.slice(0, limit), hasMore };
}

/** The id of a grant in a list. */
export function grantId(entry: GrantRecord | DamagedPermission): string {
  return "isDamaged" in entry ? entry.id : entry.grant.id;
}

/** The idempotency key of a request whose effect is one write. */
export interface KeyClaim {
  readonly owner: string;
  readonly key: RequestKey;
  /** The outcomes of that write, if an earlier try wrote it. */
  readonly known: readonly unknown[] | undefined;
  /** The write was made, or an earlier try had made it. */
  isTaken: boolean;
}

const claims = new AsyncLocalStorage<KeyClaim>();

/** Serves a request so that its first effect takes its key in the same commit, and a repeat writes nothing. */
export function withClaim<T>(claim: KeyClaim, serve: () => Promise<T>): Promise<T> {
  return claims.run(claim, serve);
}

const effects: ReadonlySet<StoreWrite["type"]> = new Set([
  "answer-call",
  "change-override",
  "delete-conversation",
  "delete-run",
  "edit-variables",
  "reset-override",
  "revoke-grant",
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
    // The same request came at the same time, and was first.
    const first = await store.getRequestKey({ owner, id: key.id });
    if (first?.digest !== key.digest || first.resourceId !== storedOutcomes)
      throw new Error("Another request with this Idempotency-Key is being served.");
    return JSON.parse(first.response ?? "[]") as readonly unknown[];
  }
  return Object.assign(Object.create(store) as Store, { write });
}
