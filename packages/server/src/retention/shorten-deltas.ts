import type { Store } from "../journal/store.ts";
import { commitRows } from "./commit-size.ts";
import { dayMs } from "./retention.ts";

/**
 * Forgets where the deltas of old runs were cut.
 *
 * @param options.after the key of the last run that needs no more looking at; 0 begins
 * @returns where to go on the next time, and how many bytes were saved
 */
export async function shortenDeltas(options: {
  readonly store: Store;
  readonly deltaDays: number;
  readonly now: number;
  readonly after: number;
  readonly pause?: () => Promise<void>;
  readonly signal?: AbortSignal;
}): Promise<{ readonly last: number; readonly bytes: number }> {
  const { store, now, deltaDays, pause, signal } = options;
  const before = now - deltaDays * dayMs;
  let last = options.after;
  let bytes = 0;
  while (signal?.aborted !== true) {
    const found = await store.everyShorterCuts({ before, after: last });
    for (let at = 0; at < found.events.length; at += commitRows) {
      const events = found.events.slice(at, at + commitRows);
      await store.write([{ type: "shorten-cuts", events }]);
      bytes += events.reduce((sum, { saves }) => sum + saves, 0);
      await pause?.();
    }
    last = found.last;
    if (!found.more) break;
  }
  return { last, bytes };
}
