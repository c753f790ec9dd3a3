import type { HeldLocks, ReservedLocks, Ticket } from "./locks.ts";

/** What a suspended call and those made in it held, in the order in which they took it. */
interface Family {
  readonly members: Set<Ticket>;
  resumed: PromiseWithResolvers<void> | undefined;
}

/**
 * Calls in which everything waits for a person, by the call at the top. A family gives up what it
 * holds all at once, and takes it again all at once: so none holds a part while it waits for the
 * rest, and no two can wait for one another.
 */
export class SuspendedCalls {
  readonly #heldLocks: HeldLocks;
  readonly #families = new Map<Ticket, Family>();
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
    this.#families.set(root, { members, resumed: undefined });
  }

  /** Resolves once the family holds again what it held, or is over. */
  requestResume(root: Ticket): Promise<void> | undefined {
    const family = this.#families.get(root);
    if (family === undefined) return undefined;
    family.resumed ??= Promise.withResolvers();
    this.resuming.add(root);
    return family.resumed.promise;
  }

  /** Withdraws a request to resume: the call that made it has ended. */
  cancelResume(root: Ticket): void {
    this.resuming.delete(root);
  }

  /** Takes back all locks of a family and returns true, or takes none of them and returns false. */
  tryResume(root: Ticket, reserved: ReservedLocks): boolean {
    const family = this.#families.get(root);
    if (family === undefined) return false;
    const members = [...family.members];
    const mayTake =
      !reserved.all && members.every((member) => reserved.allow(member, this.#heldLocks));
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
      if (this.#heldLocks.allow(member)) this.#heldLocks.take(member);
      else {
        for (const taken of members.slice(0, n)) this.#heldLocks.release(taken);
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
    this.#families.get(root)?.resumed?.resolve();
    this.#families.delete(root);
    this.resuming.delete(root);
  }
}

/** A sub-call as it counts in the call that made it, from the moment it is made to its end. */
export class SubCallHandle {
  readonly #parent: Ticket;
  readonly #family: {
    /** Something began to wait, or ended. */
    readonly changed: () => void;
    readonly resume: () => Promise<void> | undefined;
  };
  #status: "busy" | "waits" | "closed" = "busy";

  constructor(
    parent: Ticket,
    family: { readonly changed: () => void; readonly resume: () => Promise<void> | undefined },
  ) {
    this.#parent = parent;
    this.#family = family;
    parent.count({ open: 1, busy: 1 });
  }

  /** It waits for a person from here on. */
  wait(): void {
    if (this.#status !== "busy") return;
    this.#status = "waits";
    this.#parent.count({ open: 0, busy: -1 });
    this.#family.changed();
  }

  /**
   * It does not wait any more. What comes of it may reach the call that made it once this has
   * resolved: then that one and its ancestors hold again what they gave up.
   *
   * @returns undefined where they hold it
   */
  resume(): Promise<void> | undefined {
    if (this.#status === "waits") {
      this.#status = "busy";
      this.#parent.count({ open: 0, busy: 1 });
    }
    return this.#family.resume();
  }

  close(): void {
    if (this.#status === "closed") return;
    this.#parent.count({ open: -1, busy: this.#status === "busy" ? -1 : 0 });
    this.#status = "closed";
    this.#family.changed();
  }
}
