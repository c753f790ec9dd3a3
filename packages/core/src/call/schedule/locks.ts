import { copyJson } from "../../json/json-value.ts";
import type { RegisteredTool } from "../../tool/registry.ts";
import type { ToolArgs } from "../../base/json.ts";
import type { ToolErrorData } from "../../base/errors.ts";

const noTickets: ReadonlySet<Ticket> = new Set();

/**
 * The locks that running calls hold. A call may take a lock that only its ancestors hold, because
 * it runs as a part of them. So if two conflicting calls both run, one is an ancestor of the other.
 */
export class HeldLocks {
  /** An array: see `Gate.activeCalls`. */
  readonly running: Ticket[] = [];
  readonly #exclusive = new Set<Ticket>();
  readonly #byKey = new Map<string, Set<Ticket>>();

  allow(ticket: Ticket): boolean {
    const { request, depth } = ticket;
    for (const holder of this.#exclusive) if (!ticket.isIn(holder)) return false;
    // Only its ancestors may be running.
    if (request.exclusive && this.running.length !== depth) return false;
    for (const key of request.keys)
      for (const holder of this.holders(key)) if (!ticket.isIn(holder)) return false;
    return request.cap === undefined || this.others(ticket, request.cap.key) < request.cap.limit;
  }

  take(ticket: Ticket): void {
    const { exclusive, keys, cap } = ticket.request;
    this.running.push(ticket);
    if (exclusive) this.#exclusive.add(ticket);
    for (const key of keys) this.#hold(key, ticket);
    if (cap !== undefined) this.#hold(cap.key, ticket);
  }

  release(ticket: Ticket): void {
    const { exclusive, keys, cap } = ticket.request;
    const index = this.running.indexOf(ticket);
    if (index >= 0) this.running.splice(index, 1);
    if (exclusive) this.#exclusive.delete(ticket);
    for (const key of keys) this.#release(key, ticket);
    if (cap !== undefined) this.#release(cap.key, ticket);
  }

  holders(key: string): ReadonlySet<Ticket> {
    return this.#byKey.get(key) ?? noTickets;
  }

  /** The number of holders of a key, without the call's own ancestors. */
  others(ticket: Ticket, key: string): number {
    let count = 0;
    for (const holder of this.holders(key)) if (!ticket.isIn(holder)) count++;
    return count;
  }

  /**
   * Returns the calls that must end before the ticket can start. Ignores the ticket's concurrency
   * limit.
   */
  blockers(ticket: Ticket): readonly Ticket[] {
    const blocking = new Set<Ticket>(ticket.request.exclusive ? this.running : this.#exclusive);
    for (const key of ticket.request.keys)
      for (const holder of this.holders(key)) blocking.add(holder);
    return [...blocking].filter((holder) => !ticket.isIn(holder));
  }

  #hold(key: string, ticket: Ticket): void {
    const holders = this.#byKey.get(key);
    if (holders === undefined) this.#byKey.set(key, new Set([ticket]));
    else holders.add(ticket);
  }

  #release(key: string, ticket: Ticket): void {
    const holders = this.#byKey.get(key);
    holders?.delete(ticket);
    if (holders?.size === 0) this.#byKey.delete(key);
  }
}

/** The calls that must not run at the same time as a call. */
export interface LockRequest {
  /** Excludes every other call. */
  readonly exclusive: boolean;
  /** Excludes every other call with one of these keys. */
  readonly keys: readonly string[];
  /** Allows at most `limit` calls with this key. */
  readonly cap?: { readonly key: string; readonly limit: number };
}

const noKeys: readonly string[] = [];
const reads: LockRequest = { exclusive: false, keys: noKeys };

/**
 * Returns the lock request that a tool declares for its arguments. If `locks` throws, the request
 * locks the whole group.
 */
export function lockRequestOf({ tool, group, id }: RegisteredTool, args: ToolArgs): LockRequest {
  const { effects = "write", maxConcurrent } = tool;
  if (effects === "read" && maxConcurrent === undefined) return reads;
  const cap =
    maxConcurrent === undefined ? {} : { cap: { key: `tool:${id}`, limit: maxConcurrent } };
  if (effects === "read") return { ...reads, ...cap };
  if (effects === "exclusive") return { exclusive: true, keys: noKeys, ...cap };
  const whole = [`group:${group.name}`];
  if (effects === "write") return { exclusive: false, keys: whole, ...cap };
  try {
    const keys = new Set(effects.locks(copyJson(args)).map((key) => `lock:${key}`));
    return { exclusive: false, keys: [...keys], ...cap };
  } catch {
    return { exclusive: false, keys: whole, ...cap };
  }
}

/** Locks that are reserved for the waiting calls at the front of the queue. */
export class ReservedLocks {
  all = false;
  readonly #keys = new Set<string>();
  readonly #caps = new Map<string, number>();

  add({ request: { exclusive, keys, cap } }: Ticket): void {
    this.all ||= exclusive;
    for (const key of keys) this.#keys.add(key);
    if (cap !== undefined) this.#caps.set(cap.key, (this.#caps.get(cap.key) ?? 0) + 1);
  }

  allow({ request: { keys, cap } }: Ticket, heldLocks: HeldLocks): boolean {
    if (keys.some((key) => this.#keys.has(key))) return false;
    if (cap === undefined) return true;
    return heldLocks.holders(cap.key).size + (this.#caps.get(cap.key) ?? 0) < cap.limit;
  }
}

/**
 * A call in the scheduler: it waits, runs, and leaves. A running call is suspended while all its
 * work waits for a user.
 */
export class Ticket {
  readonly request: LockRequest;
  readonly parent: Ticket | undefined;
  /** The outermost call, which has the slot. */
  readonly root: Ticket;
  readonly depth: number;
  readonly start: (ticket: Ticket) => void;
  status: "waiting" | "running" | "suspended" | "left" = "waiting";
  /** The number of its sub-calls that have not ended. */
  #open = 0;
  /** The number of these sub-calls that have running work. */
  #busy = 0;

  constructor(
    request: LockRequest,
    {
      parent,
      start,
    }: { readonly parent?: Ticket | undefined; readonly start: (ticket: Ticket) => void },
  ) {
    this.request = request;
    this.parent = parent;
    this.root = parent?.root ?? this;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    this.start = start;
  }

  /** Whether all its work waits for a user. */
  get waits(): boolean {
    return this.#open > 0 && this.#busy === 0;
  }

  /**
   * Adds to its numbers of open and busy sub-calls, and updates its parent if it starts or stops
   * waiting.
   */
  count(change: { readonly open: number; readonly busy: number }): void {
    if (this.status === "left") return;
    const before = this.waits;
    this.#open += change.open;
    this.#busy += change.busy;
    if (this.waits !== before) this.parent?.count({ open: 0, busy: before ? 1 : -1 });
  }

  /** Ends the ticket, and stops counting its sub-calls. */
  end(): void {
    this.count({ open: -this.#open, busy: -this.#busy });
    this.status = "left";
  }

  isIn(ancestor: Ticket): boolean {
    for (let at = this.parent; at !== undefined; at = at.parent) if (at === ancestor) return true;
    return false;
  }
}

/**
 * Returns whether a sub-call would deadlock: it would wait for a call that waits for one of the
 * sub-call's own ancestors. Assumes that a call waits for all its sub-calls.
 */
export function wouldDeadlock(
  ticket: Ticket,
  heldLocks: HeldLocks,
  waiting: ReadonlySet<Ticket>,
): boolean {
  const waiters = [...waiting, ticket];
  // Each round adds the calls that wait only for calls that can end.
  const canEnd = new Set<Ticket>();
  const cannotEnd = (holder: Ticket): boolean => !canEnd.has(holder);
  const canStart = (waiter: Ticket): boolean => {
    if (heldLocks.blockers(waiter).some(cannotEnd)) return false;
    const { cap } = waiter.request;
    if (cap === undefined) return true;
    const others = [...heldLocks.holders(cap.key)].filter((holder) => !waiter.isIn(holder));
    return others.filter(cannotEnd).length < cap.limit;
  };
  for (let before = -1; before < canEnd.size;) {
    before = canEnd.size;
    for (const holder of heldLocks.running) {
      const own = waiters.filter((waiter) => waiter.isIn(holder));
      if (cannotEnd(holder) && own.every(canStart)) canEnd.add(holder);
    }
  }
  return !canStart(ticket);
}

/** Returns the error of a sub-call that would wait forever. */
export function deadlockError(name: string): ToolErrorData {
  const message = `${name} was not run, to avoid a deadlock: it would wait for a call that waits for the caller of ${name}. Call it again after that call has ended.`;
  return { code: "deadlock", message, retryable: true };
}
