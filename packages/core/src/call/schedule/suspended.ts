import type { Holdings } from "./holdings.ts";
import type { Reserved } from "./reserved.ts";
import type { Ticket } from "./ticket.ts";

/** What a suspended call and those made in it held, in the order in which they took it. */
interface Family {
  readonly members: Set<Ticket>;
  back: PromiseWithResolvers<void> | undefined;
}

/**
 * Calls in which everything waits for a person, by the call at the top. A family gives up what it
 * holds all at once, and takes it again all at once: so none holds a part while it waits for the
 * rest, and no two can wait for one another.
 */
export class Suspended {
  readonly #holdings: Holdings;
  readonly #families = new Map<Ticket, Family>();
  /** Those that want to go on, the longest waiting first. */
  readonly returning = new Set<Ticket>();

  constructor(holdings: Holdings) {
    this.#holdings = holdings;
  }

  suspend(root: Ticket): void {
    const members = new Set(
      this.#holdings.running.values().filter((ticket) => ticket.root === root),
    );
    for (const member of members) {
      this.#holdings.release(member);
      member.status = "suspended";
    }
    this.#families.set(root, { members, back: undefined });
  }

  /** Resolves once the family holds again what it held, or is over. */
  wantsBack(root: Ticket): Promise<void> | undefined {
    const family = this.#families.get(root);
    if (family === undefined) return undefined;
    family.back ??= Promise.withResolvers();
    this.returning.add(root);
    return family.back.promise;
  }

  /** Who wanted to go on has ended; the rest waits. */
  stay(root: Ticket): void {
    this.returning.delete(root);
  }

  /** Takes a family's own again where all of it is free; else nothing of it. */
  comesBack(root: Ticket, reserved: Reserved): boolean {
    const family = this.#families.get(root);
    if (family === undefined) return false;
    const members = [...family.members];
    const mayTake =
      !reserved.all && members.every((member) => reserved.allow(member, this.#holdings));
    if (!mayTake || !this.#takeAll(members)) {
      for (const member of members) reserved.add(member);
      return false;
    }
    for (const member of members) member.status = "running";
    this.#over(root);
    return true;
  }

  #takeAll(members: readonly Ticket[]): boolean {
    for (const [n, member] of members.entries()) {
      if (this.#holdings.allow(member)) this.#holdings.take(member);
      else {
        for (const taken of members.slice(0, n)) this.#holdings.release(taken);
        return false;
      }
    }
    return true;
  }

  /** A member ends while it is suspended. */
  leave(ticket: Ticket): void {
    if (ticket === ticket.root) this.#over(ticket);
    else this.#families.get(ticket.root)?.members.delete(ticket);
  }

  #over(root: Ticket): void {
    this.#families.get(root)?.back?.resolve();
    this.#families.delete(root);
    this.returning.delete(root);
  }
}
