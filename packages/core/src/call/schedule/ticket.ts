import type { LockRequest } from "./lock-request.ts";

/**
 * A call's place in the scheduler: it waits, runs, and leaves. In between it is suspended while
 * all that goes on in it waits for a person.
 */
export class Ticket {
  readonly request: LockRequest;
  /** The call that this one was made in. */
  readonly parent: Ticket | undefined;
  /** The call at the top, which has the slot. */
  readonly root: Ticket;
  readonly depth: number;
  readonly start: (ticket: Ticket) => void;
  status: "waiting" | "running" | "suspended" | "left" = "waiting";
  /** Sub-calls made in it that have not ended. */
  #open = 0;
  /** Those of them in which something goes on. */
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

  /** Whether all that goes on in it waits for a person. */
  get waits(): boolean {
    return this.#open > 0 && this.#busy === 0;
  }

  /** Counts its sub-calls, and tells its parent where that makes it wait or go on. */
  count(change: { readonly open: number; readonly busy: number }): void {
    if (this.status === "left") return;
    const before = this.waits;
    this.#open += change.open;
    this.#busy += change.busy;
    if (this.waits !== before) this.parent?.count({ open: 0, busy: before ? 1 : -1 });
  }

  /** For good: whatever its sub-calls still do is not its own any more. */
  end(): void {
    this.count({ open: -this.#open, busy: -this.#busy });
    this.status = "left";
  }

  isIn(ancestor: Ticket): boolean {
    for (let at = this.parent; at !== undefined; at = at.parent) if (at === ancestor) return true;
    return false;
  }
}
