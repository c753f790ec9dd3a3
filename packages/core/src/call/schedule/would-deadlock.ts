import type { ToolErrorData } from "../../base/errors.ts";
import type { HeldLocks, Ticket } from "./locks.ts";

/**
 * Whether a sub-call would wait for ever: for a call that in the end waits for one that this
 * sub-call is made in. A call is taken to wait for all sub-calls that it made.
 */
export function wouldDeadlock(
  ticket: Ticket,
  heldLocks: HeldLocks,
  waiting: ReadonlySet<Ticket>,
): boolean {
  const waiters = [...waiting, ticket];
  // Found step by step: first those that wait for nobody, then those that wait for these only.
  const canEnd = new Set<Ticket>();
  const stays = (holder: Ticket): boolean => !canEnd.has(holder);
  const canStart = (waiter: Ticket): boolean => {
    if (heldLocks.blockers(waiter).some(stays)) return false;
    const { cap } = waiter.request;
    if (cap === undefined) return true;
    const others = [...heldLocks.holders(cap.key)].filter((holder) => !waiter.isIn(holder));
    return others.filter(stays).length < cap.limit;
  };
  for (let before = -1; before < canEnd.size;) {
    before = canEnd.size;
    for (const holder of heldLocks.running) {
      const own = waiters.filter((waiter) => waiter.isIn(holder));
      if (stays(holder) && own.every(canStart)) canEnd.add(holder);
    }
  }
  return !canStart(ticket);
}

/** The error of a sub-call that would wait for ever. */
export function deadlockError(name: string): ToolErrorData {
  const message = `${name} was not run: it would wait for another call that waits for the one that called it. Call it again once that one has ended.`;
  return { code: "deadlock", message, retryable: true };
}
