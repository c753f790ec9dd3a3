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
  const waiters = [...waiting, ticket];
  // Found step by step: first those that wait for nobody, then those that wait for these only.
  const canEnd = new Set<Ticket>();
  const stays = (holder: Ticket): boolean => !canEnd.has(holder);
  const canStart = (waiter: Ticket): boolean => {
    if (holdings.blockers(waiter).some(stays)) return false;
    const { cap } = waiter.claim;
    if (cap === undefined) return true;
    const others = [...holdings.holders(cap.key)].filter((holder) => !waiter.isIn(holder));
    return others.filter(stays).length < cap.limit;
  };
  for (let before = -1; before < canEnd.size;) {
    before = canEnd.size;
    for (const holder of holdings.running.values()) {
      const own = waiters.filter((waiter) => waiter.isIn(holder));
      if (stays(holder) && own.every(canStart)) canEnd.add(holder);
    }
  }
  return !canStart(ticket);
}
