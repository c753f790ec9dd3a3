import { type LockRequest, HeldLocks, ReservedLocks, Ticket, wouldDeadlock } from "./locks.ts";

interface EnterOptions {
  /** Called when the request may run: immediately or later. */
  readonly start: (ticket: Ticket) => void;
  /** The running call that makes this one. This call runs in its slot. */
  readonly parent?: Ticket | undefined;
}

/**
 * Runs calls in parallel if their lock requests allow it, at most `atOnce` at a time. A call waits
 * for all earlier calls that it conflicts with, so no call starves. Sub-calls come first, because
 * running calls wait for them. A waiting call holds only the locks of its ancestors. If all work of
 * a running call waits for a user, the call holds no locks until some of the work continues.
 */
export class Scheduler {
  readonly #atOnce: number;
  readonly #heldLocks = new HeldLocks();
  #slots = 0;
  readonly #queue = new Set<Ticket>();
  readonly #subQueue = new Set<Ticket>();
  readonly #suspended: SuspendedCalls;
  #admitting = false;
  #changed = false;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
    this.#suspended = new SuspendedCalls(this.#heldLocks);
  }

  /**
   * Queues or starts a call. The caller must call `leave` with the ticket, even if the call never
   * started.
   *
   * @returns undefined if a sub-call would wait forever; it is not queued then
   */
  enter(request: LockRequest, options: EnterOptions): Ticket | undefined {
    const ticket = new Ticket(request, options);
    const isSubCall = options.parent !== undefined;
    const waiting = this.#queue.size + this.#suspended.resuming.size;
    if (this.#subQueue.size === 0 && (isSubCall || waiting === 0)) {
      if (this.#fits(ticket)) {
        this.#take(ticket);
        ticket.start(ticket);
        return ticket;
      }
    }
    if (!isSubCall) this.#queue.add(ticket);
    else if (!this.#fits(ticket) && wouldDeadlock(ticket, this.#heldLocks, this.#subQueue))
      return undefined;
    else this.#subQueue.add(ticket);
    this.#admit();
    return ticket;
  }

  /** Registers a sub-call of this call. It is counted until its handle is closed. */
  openSubCall(parent: Ticket): SubCallHandle {
    const { root } = parent;
    return new SubCallHandle(parent, {
      changed: () => {
        if (!root.waits) return;
        if (root.status === "suspended") this.#suspended.cancelResume(root);
        if (root.status !== "running") return;
        this.#suspended.suspend(root);
        this.#slots--;
        this.#admit();
      },
      resume: () => {
        if (root.status !== "suspended") return undefined;
        const back = this.#suspended.requestResume(root);
        this.#admit();
        return back;
      },
    });
  }

  /** Removes a call that has ended or no longer wants to run. A second call does nothing. */
  leave(ticket: Ticket): void {
    if (ticket.status === "running") {
      this.#heldLocks.release(ticket);
      if (ticket.parent === undefined) this.#slots--;
    } else if (ticket.status === "waiting") {
      const queue = ticket.parent === undefined ? this.#queue : this.#subQueue;
      queue.delete(ticket);
    } else if (ticket.status === "suspended") this.#suspended.leave(ticket);
    else return;
    ticket.end();
    this.#admit();
  }

  /**
   * Starts all calls that can start now. Calls that end while they start are handled in this loop,
   * not by recursion.
   */
  #admit(): void {
    const waiting = this.#queue.size + this.#subQueue.size + this.#suspended.resuming.size;
    if (waiting === 0) return;
    this.#changed = true;
    if (this.#admitting) return;
    this.#admitting = true;
    try {
      while (this.#changed) {
        this.#changed = false;
        for (const ticket of this.#next())
          // A call that started earlier in this loop may have stopped it.
          if (ticket.status === "running") ticket.start(ticket);
      }
    } finally {
      this.#admitting = false;
    }
  }

  #next(): readonly Ticket[] {
    const started: Ticket[] = [];
    const reserved = new ReservedLocks();
    for (const ticket of this.#subQueue) {
      if (this.#fits(ticket)) {
        this.#subQueue.delete(ticket);
        this.#take(ticket);
        started.push(ticket);
      } else reserved.add(ticket);
    }
    for (const root of this.#suspended.resuming) {
      if (this.#slots < this.#atOnce && this.#suspended.tryResume(root, reserved)) this.#slots++;
    }
    for (const ticket of this.#queue) {
      if (this.#slots >= this.#atOnce || reserved.all) break;
      if (reserved.allow(ticket, this.#heldLocks) && this.#fits(ticket)) {
        this.#queue.delete(ticket);
        this.#take(ticket);
        started.push(ticket);
      } else reserved.add(ticket);
    }
    return started;
  }

  #fits(ticket: Ticket): boolean {
    return (
      (ticket.parent !== undefined || this.#slots < this.#atOnce) && this.#heldLocks.allow(ticket)
    );
  }

  #take(ticket: Ticket): void {
    ticket.status = "running";
    if (ticket.parent === undefined) this.#slots++;
    this.#heldLocks.take(ticket);
  }
}

/** The locks of a suspended call and its sub-calls, in the order in which they were taken. */
interface CallTree {
  readonly members: Set<Ticket>;
  resumed: PromiseWithResolvers<void> | undefined;
}

/**
 * The suspended calls, grouped by their outermost call. A call tree releases all its locks together
 * and takes them again together. No tree holds some of its locks while it waits for others, so
 * two trees cannot deadlock.
 */
class SuspendedCalls {
  readonly #heldLocks: HeldLocks;
  readonly #trees = new Map<Ticket, CallTree>();
  /** Calls that wait to resume, the longest waiting first. */
  readonly resuming = new Set<Ticket>();

  constructor(heldLocks: HeldLocks) {
    this.#heldLocks = heldLocks;
  }

  suspend(root: Ticket): void {
    const members = new Set(this.#heldLocks.running.filter((ticket) => ticket.root === root));
    for (const member of members) {
      this.#heldLocks.release(member);
      member.status = "suspended";
    }
    this.#trees.set(root, { members, resumed: undefined });
  }

  /** Resolves when the tree holds its locks again, or has ended. */
  requestResume(root: Ticket): Promise<void> | undefined {
    const tree = this.#trees.get(root);
    if (tree === undefined) return undefined;
    tree.resumed ??= Promise.withResolvers();
    this.resuming.add(root);
    return tree.resumed.promise;
  }

  /** Withdraws a request to resume, because the call that made it has ended. */
  cancelResume(root: Ticket): void {
    this.resuming.delete(root);
  }

  /** Takes all locks of a tree again and returns true, or takes none and returns false. */
  tryResume(root: Ticket, reserved: ReservedLocks): boolean {
    const tree = this.#trees.get(root);
    if (tree === undefined) return false;
    const members = [...tree.members];
    const mayTake =
      !reserved.all && members.every((member) => reserved.allow(member, this.#heldLocks));
    if (!mayTake || !this.#takeAll(members)) {
      for (const member of members) reserved.add(member);
      return false;
    }
    for (const member of members) member.status = "running";
    this.#remove(root);
    return true;
  }

  #takeAll(members: readonly Ticket[]): boolean {
    for (const [n, member] of members.entries()) {
      if (this.#heldLocks.allow(member)) this.#heldLocks.take(member);
      else {
        for (const taken of members.slice(0, n)) this.#heldLocks.release(taken);
        return false;
      }
    }
    return true;
  }

  /** Removes a member that ended while it was suspended. */
  leave(ticket: Ticket): void {
    if (ticket === ticket.root) this.#remove(ticket);
    else this.#trees.get(ticket.root)?.members.delete(ticket);
  }

  #remove(root: Ticket): void {
    this.#trees.get(root)?.resumed?.resolve();
    this.#trees.delete(root);
    this.resuming.delete(root);
  }
}

/** A sub-call that its parent counts, from its creation to its end. */
export class SubCallHandle {
  readonly #parent: Ticket;
  readonly #tree: {
    /** Called when a sub-call began to wait or ended. */
    readonly changed: () => void;
    readonly resume: () => Promise<void> | undefined;
  };
  #status: "busy" | "waits" | "closed" = "busy";

  constructor(
    parent: Ticket,
    tree: { readonly changed: () => void; readonly resume: () => Promise<void> | undefined },
  ) {
    this.#parent = parent;
    this.#tree = tree;
    parent.count({ open: 1, busy: 1 });
  }

  wait(): void {
    if (this.#status !== "busy") return;
    this.#status = "waits";
    this.#parent.count({ open: 0, busy: -1 });
    this.#tree.changed();
  }

  /**
   * Marks the sub-call as running again. Deliver its result to the parent only after the promise
   * has resolved: by then the parent and its ancestors hold their locks again.
   *
   * @returns undefined if they hold them already
   */
  resume(): Promise<void> | undefined {
    if (this.#status === "waits") {
      this.#status = "busy";
      this.#parent.count({ open: 0, busy: 1 });
    }
    return this.#tree.resume();
  }

  close(): void {
    if (this.#status === "closed") return;
    this.#parent.count({ open: -1, busy: this.#status === "busy" ? -1 : 0 });
    this.#status = "closed";
    this.#tree.changed();
  }
}
