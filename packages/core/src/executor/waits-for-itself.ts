import type { Holdings } from "./holdings.ts";
import type { Ticket } from "./ticket.ts";

/**
 * Whether a sub-call would wait for ever: for a call that in the end waits for one that this
 * sub-call is made in. A call is taken to wait for all sub-calls that it made.
 */
export function waitsForItself(
  ticket: Ticket,
  holdings: Holdings,
  waiting: ReadonlySet<Ticket>,
): boolean {
  const known = new Map<Ticket, boolean>();
  const neverEnds = (holder: Ticket): boolean =>
    ticket.isIn(holder) || [...waiting].some((other) => other.isIn(holder) && neverStarts(other));
  const neverStarts = (waiter: Ticket): boolean => {
    const before = known.get(waiter);
    if (before !== undefined) return before;
    // Meanwhile: a circle without the ticket would have been found when it closed.
    known.set(waiter, false);
    const never = holdings.blockers(waiter).some(neverEnds) || staysFull(waiter);
    known.set(waiter, never);
    return never;
  };
  const staysFull = (waiter: Ticket): boolean => {
    const { cap } = waiter.claim;
    if (cap === undefined) return false;
    const others = [...holdings.holders(cap.key)].filter((holder) => !waiter.isIn(holder));
    return others.length >= cap.limit && others.filter(neverEnds).length >= cap.limit;
  };
  return neverStarts(ticket);
}
