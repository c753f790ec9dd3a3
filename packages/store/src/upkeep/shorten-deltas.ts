import type { Store } from "../records/store.ts";
import { commitRows } from "./commit-size.ts";
import { dayMs } from "./retention.ts";

/** How far runs were looked at, in the order in which they were made. */
export interface Shortened {
  /** The key of the last one. */
  readonly last: number;
  /** The keys of those up to it that had not ended, or not long enough ago. */
  readonly young: readonly number[];
}

/** Runs that are looked at anew in one read. */
const atOnce = 100;

/**
 * Forgets where the deltas of old runs were cut. A run that goes on, or waits, holds up no other one.
 *
 * @param options.seen by the sweep before: what it shortened is not read again. @default nothing
 */
export async function shortenDeltas(options: {
  readonly store: Store;
  readonly deltaDays: number;
  readonly now: number;
  readonly seen?: Shortened;
  readonly pause?: () => Promise<void>;
  readonly signal?: AbortSignal;
}): Promise<{ readonly seen: Shortened; readonly bytes: number }> {
  const { store, now, deltaDays, seen = { last: 0, young: [] }, pause, signal } = options;
  const before = now - deltaDays * dayMs;
  const young: number[] = [];
  let bytes = 0;

  /** @returns the key of the last run that was looked at */
  async function shorten(after: number, among?: readonly number[]): Promise<number> {
    let last = after;
    while (signal?.aborted !== true) {
      const query = { before, after: last, ...(among && { among }) };
      const found = await store.everyShorterCuts(query);
      for (let at = 0; at < found.events.length; at += commitRows) {
        const events = found.events.slice(at, at + commitRows);
        await store.write([{ type: "shorten-cuts", events }]);
        bytes += events.reduce((sum, { saves }) => sum + saves, 0);
        await pause?.();
      }
      young.push(...found.young);
      last = found.last;
      if (!found.more) break;
    }
    return last;
  }

  for (let at = 0; at < seen.young.length; at += atOnce)
    await shorten(0, seen.young.slice(at, at + atOnce));
  const last = await shorten(seen.last);
  return { seen: { last, young }, bytes };
}
