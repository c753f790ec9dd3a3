import { type LockRequest, HeldLocks, ReservedLocks, Ticket } from "./locks.ts";
import { SubCallHandle, SuspendedCalls } from "./suspended-calls.ts";
import { wouldDeadlock } from "./would-deadlock.ts";

export interface EnterOptions {
  /** Called once the request may run: at once, or later. */
  readonly start: (ticket: Ticket) => void;
  /** The running call that this one is made in. It runs in that one's slot. */
  readonly parent?: Ticket | undefined;
}

/**
 * Lets calls run beside one another where their claims allow it, at most `atOnce` at a time.
 * A call waits for those before it that it conflicts with, so that none is overtaken for ever.
 * Sub-calls go first: those that run wait for them. Who waits holds nothing but what its
 * ancestors hold; and where all that goes on in a call waits for a person, they hold nothing
 * either, until one of it goes on.
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
   * Takes a call in. Whoever enters must `leave` with the ticket, whether it started or not.
   *
   * @returns undefined where a sub-call would wait for ever; it is not taken in
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

  /** A sub-call is made in this call. It counts until it is closed. */
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

  /** The call has ended, or does not want to run any more. The second time does nothing. */
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

  /** Starts whatever may start now. A call that ends in its start is seen to here, not by recursion. */
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
          // What started before it may have stopped it.
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
