import { CapstanError } from "@capstan/core";
import type { Store } from "@capstan/store";
import type { ServerLimits } from "../request/run-limits.ts";

type BudgetLimits = Pick<ServerLimits, "bytesAtOnce" | "bytesOfOne">;

/** A run and the bytes of its history. */
export interface HistoryHold {
  readonly id: string;
  readonly owner: string;
  readonly bytes: number;
}

interface Waiting extends HistoryHold {
  readonly admit: () => void;
}

/** Bytes of a short history, which is never delayed. */
const shortBytes = 65_536;

/**
 * Counts the bytes of the histories that active runs have in memory, per principal and in total. A
 * run whose history does not fit waits until others have released theirs, and does not read it
 * before. A principal without a history in memory waits only for the total.
 */
export class HistoryBudget {
  readonly #limits: BudgetLimits;
  readonly #held = new Map<string, HistoryHold>();
  readonly #usedByOwner = new Map<string, number>();
  /** In order of arrival. */
  readonly #waiting = new Map<string, Waiting>();
  #total = 0;

  constructor(limits: BudgetLimits) {
    this.#limits = limits;
  }

  /**
   * Reserves the bytes of a run's history until `release`.
   *
   * @returns undefined if they are reserved already, otherwise a promise that resolves when they
   * are, or when the run was released
   */
  acquire(hold: HistoryHold): Promise<void> | undefined {
    this.release(hold.id);
    const { promise, resolve: admit } = Promise.withResolvers<void>();
    this.#waiting.set(hold.id, { ...hold, admit });
    this.#admit();
    return this.#waiting.has(hold.id) ? promise : undefined;
  }

  /** Releases the bytes of a run, or ends its wait. Calling it again does nothing. */
  release(runId: string): void {
    const waiting = this.#waiting.get(runId);
    this.#waiting.delete(runId);
    waiting?.admit();
    const held = this.#held.get(runId);
    if (held === undefined) return;
    this.#held.delete(runId);
    this.#count(held.owner, -held.bytes);
    this.#admit();
  }

  #admit(): void {
    const isBlocked = new Set<string>();
    let isFull = false;
    for (const each of this.#waiting.values()) {
      const { id, owner, bytes } = each;
      const isLong = bytes > shortBytes;
      const used = this.#usedByOwner.get(owner) ?? 0;
      if (isLong && used > 0 && used + bytes > this.#limits.bytesOfOne) isBlocked.add(owner);
      if (isLong && isBlocked.has(owner)) continue;
      // Later runs must not overtake a run that waits for the total.
      isFull ||= isLong && this.#total > 0 && this.#total + bytes > this.#limits.bytesAtOnce;
      if (isLong && isFull) continue;
      this.#waiting.delete(id);
      this.#held.set(id, { id, owner, bytes });
      this.#count(owner, bytes);
      each.admit();
    }
  }

  #count(owner: string, bytes: number): void {
    this.#total += bytes;
    const used = (this.#usedByOwner.get(owner) ?? 0) + bytes;
    if (used > 0) this.#usedByOwner.set(owner, used);
    else this.#usedByOwner.delete(owner);
  }
}

/**
 * Returns a store that reads no history longer than the limit: `historyBytes` and `ancestors` throw
 * CapstanError `history_too_large` before anything is read.
 */
export function limitHistories(store: Store, { bytesOfOne }: BudgetLimits): Store {
  const historyBytes: Store["historyBytes"] = async (query) => {
    const bytes = await store.historyBytes(query);
    if (bytes > query.limit) throw historyTooLarge(bytes, query.limit);
    return bytes;
  };
  const ancestors: Store["ancestors"] = async (query) => {
    await historyBytes({ ...query, limit: bytesOfOne });
    return store.ancestors(query);
  };
  return Object.assign(Object.create(store) as Store, { historyBytes, ancestors });
}

function historyTooLarge(bytes: number, limit: number): CapstanError {
  return new CapstanError({
    code: "history_too_large",
    message: `The history of this conversation has ${bytes} bytes. The limit is ${limit} bytes (limits.bytesOfOne). Start a new conversation, or continue from an earlier response.`,
  });
}
