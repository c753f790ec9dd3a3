import type { Claim } from "./claim.ts";
import { Holdings } from "./holdings.ts";
import { Ticket } from "./ticket.ts";
import { waitsForItself } from "./waits-for-itself.ts";

export interface EnterOptions {
  /** Called once the claim may run: at once, or later. */
  readonly start: (ticket: Ticket) => void;
  /** The running call that this one is made in. It runs in that one's slot. */
  readonly parent?: Ticket;
}

/**
 * Lets calls run beside one another where their claims allow it, at most `atOnce` at a time.
 * A call waits for those before it that it conflicts with, so that none is overtaken for ever.
 * Sub-calls go first: those that run wait for them. Who waits holds nothing but what its
 * ancestors hold.
 */
export class Scheduler {
  readonly #atOnce: number;
  readonly #holdings = new Holdings();
  #slots = 0;
  readonly #queue = new Set<Ticket>();
  readonly #subQueue = new Set<Ticket>();
  #admitting = false;
  #changed = false;

  constructor(atOnce: number) {
    this.#atOnce = atOnce;
  }

  /**
   * Takes a call in. Whoever enters must `leave` with the ticket, whether it started or not.
   *
   * @returns undefined where a sub-call would wait for ever; it is not taken in
   */
  enter(claim: Claim, options: EnterOptions): Ticket | undefined {
    const ticket = new Ticket(claim, options);
    const isSubCall = options.parent !== undefined;
    if (this.#subQueue.size === 0 && (isSubCall || this.#queue.size === 0)) {
      if (this.#fits(ticket)) {
        this.#take(ticket);
        ticket.start(ticket);
        return ticket;
      }
    }
    if (!isSubCall) this.#queue.add(ticket);
    else if (!this.#fits(ticket) && waitsForItself(ticket, this.#holdings, this.#subQueue))
      return undefined;
    else this.#subQueue.add(ticket);
    this.#admit();
    return ticket;
  }

  /** The call has ended, or does not want to run any more. The second time does nothing. */
  leave(ticket: Ticket): void {
    if (ticket.status === "running") {
      this.#holdings.release(ticket);
      if (ticket.parent === undefined) this.#slots--;
    } else if (ticket.status === "waiting") {
      const queue = ticket.parent === undefined ? this.#queue : this.#subQueue;
      queue.delete(ticket);
    } else return;
    ticket.status = "left";
    this.#admit();
  }

  /** Starts whatever may start now. A call that ends in its start is seen to here, not by recursion. */
  #admit(): void {
    if (this.#queue.size === 0 && this.#subQueue.size === 0) return;
    this.#changed = true;
    if (this.#admitting) return;
    this.#admitting = true;
    try {
      while (this.#changed) {
        this.#changed = false;
        for (const ticket of this.#next()) ticket.start(ticket);
      }
    } finally {
      this.#admitting = false;
    }
  }

  #next(): readonly Ticket[] {
    const started: Ticket[] = [];
    const reserved = new Reserved();
    for (const ticket of this.#subQueue) {
      if (this.#fits(ticket)) {
        this.#subQueue.delete(ticket);
        this.#take(ticket);
        started.push(ticket);
      } else reserved.add(ticket);
    }
    for (const ticket of this.#queue) {
      if (this.#slots >= this.#atOnce || reserved.all) break;
      if (reserved.allow(ticket, this.#holdings) && this.#fits(ticket)) {
        this.#queue.delete(ticket);
        this.#take(ticket);
        started.push(ticket);
      } else reserved.add(ticket);
    }
    return started;
  }

  #fits(ticket: Ticket): boolean {
    return (
      (ticket.parent !== undefined || this.#slots < this.#atOnce) && this.#holdings.allow(ticket)
    );
  }

  #take(ticket: Ticket): void {
    ticket.status = "running";
    if (ticket.parent === undefined) this.#slots++;
    this.#holdings.take(ticket);
  }
}

/** What those that wait are to get before those behind them. */
class Reserved {
  all = false;
  readonly #keys = new Set<string>();
  readonly #caps = new Map<string, number>();

  add({ claim: { exclusive, keys, cap } }: Ticket): void {
    this.all ||= exclusive;
    for (const key of keys) this.#keys.add(key);
    if (cap !== undefined) this.#caps.set(cap.key, (this.#caps.get(cap.key) ?? 0) + 1);
  }

  allow({ claim: { keys, cap } }: Ticket, holdings: Holdings): boolean {
    if (keys.some((key) => this.#keys.has(key))) return false;
    if (cap === undefined) return true;
    return holdings.holders(cap.key).size + (this.#caps.get(cap.key) ?? 0) < cap.limit;
  }
}
