import type { Ticket } from "./ticket.ts";

const nobody: ReadonlySet<Ticket> = new Set();

/**
 * Who holds what. A call may take what only its own ancestors hold: it is a part of them. So of
 * two calls that conflict, one is always made in the other.
 */
export class HeldLocks {
  readonly running = new Set<Ticket>();
  readonly #exclusive = new Set<Ticket>();
  readonly #byKey = new Map<string, Set<Ticket>>();

  allow(ticket: Ticket): boolean {
    const { request, depth } = ticket;
    for (const holder of this.#exclusive) if (!ticket.isIn(holder)) return false;
    // Its ancestors all run, and nothing else may.
    if (request.exclusive && this.running.size !== depth) return false;
    for (const key of request.keys)
      for (const holder of this.holders(key)) if (!ticket.isIn(holder)) return false;
    return request.cap === undefined || this.others(ticket, request.cap.key) < request.cap.limit;
  }

  take(ticket: Ticket): void {
    const { exclusive, keys, cap } = ticket.request;
    this.running.add(ticket);
    if (exclusive) this.#exclusive.add(ticket);
    for (const key of keys) this.#hold(key, ticket);
    if (cap !== undefined) this.#hold(cap.key, ticket);
  }

  release(ticket: Ticket): void {
    const { exclusive, keys, cap } = ticket.request;
    this.running.delete(ticket);
    if (exclusive) this.#exclusive.delete(ticket);
    for (const key of keys) this.#release(key, ticket);
    if (cap !== undefined) this.#release(cap.key, ticket);
  }

  holders(key: string): ReadonlySet<Ticket> {
    return this.#byKey.get(key) ?? nobody;
  }

  /** How many hold a key that this call is not made in. */
  others(ticket: Ticket, key: string): number {
    let count = 0;
    for (const holder of this.holders(key)) if (!ticket.isIn(holder)) count++;
    return count;
  }

  /** Each of these must end before the ticket can start; its cap is not looked at. */
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
