import type { HeldLocks } from "./held-locks.ts";
import type { Ticket } from "./ticket.ts";

/** What those that wait are to get before those behind them. */
export class ReservedLocks {
  all = false;
  readonly #keys = new Set<string>();
  readonly #caps = new Map<string, number>();

  add({ request: { exclusive, keys, cap } }: Ticket): void {
    this.all ||= exclusive;
    for (const key of keys) this.#keys.add(key);
    if (cap !== undefined) this.#caps.set(cap.key, (this.#caps.get(cap.key) ?? 0) + 1);
  }

  allow({ request: { keys, cap } }: Ticket, heldLocks: HeldLocks): boolean {
    if (keys.some((key) => this.#keys.has(key))) return false;
    if (cap === undefined) return true;
    return heldLocks.holders(cap.key).size + (this.#caps.get(cap.key) ?? 0) < cap.limit;
  }
}
