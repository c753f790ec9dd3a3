import type { Store } from "../records/store.ts";
import { commitRows } from "./commit-size.ts";
import { dayMs } from "./retention-rules.ts";

/** The runs that were compacted so far, in the order in which they were created. */
export interface CompactionProgress {
  /** The key of the last one. */
  readonly last: number;
  /** The keys of those up to it that had not ended, or not long enough ago. */
  readonly young: readonly number[];
}

/** Number of young runs that one read scans again. */
const atOnce = 100;

/**
 * Removes the boundaries between the deltas of old runs; their text stays. Runs that have not ended are
 * scanned again by the next call.
 *
 * @param options.seen by the sweep before: what it shortened is not read again. @default nothing
 */
export async function compactDeltas(options: {
  readonly store: Store;
  readonly deltaDays: number;
  readonly now: number;
  readonly seen?: CompactionProgress;
  readonly pause?: () => Promise<void>;
  readonly signal?: AbortSignal;
}): Promise<{ readonly seen: CompactionProgress; readonly bytes: number }> {
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
