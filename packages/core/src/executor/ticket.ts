import type { Claim } from "./claim.ts";

/** A call's place in the scheduler: it waits, runs, and leaves. */
export class Ticket {
  readonly claim: Claim;
  /** The call that this one was made in. */
  readonly parent: Ticket | undefined;
  readonly depth: number;
  readonly start: (ticket: Ticket) => void;
  status: "waiting" | "running" | "left" = "waiting";

  constructor(
    claim: Claim,
    { parent, start }: { readonly parent?: Ticket; readonly start: (ticket: Ticket) => void },
  ) {
    this.claim = claim;
    this.parent = parent;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    this.start = start;
  }

  isIn(ancestor: Ticket): boolean {
    for (let at = this.parent; at !== undefined; at = at.parent) if (at === ancestor) return true;
    return false;
  }
}
