import type { Clock } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import type { RunService } from "./run-service.ts";
import {
  deleteUnreachable,
  hasRetentionRules,
  prune,
  type PruneReport,
  type Retention,
} from "@capstan/store";

/** Pauses before the first sweep, which leaves the server time to start, and between later ones. */
const firstMs = 60 * 1_000;
const everyMs = 60 * 60 * 1_000;

/** Pause between two commits of a sweep, in milliseconds. */
const pauseMs = 10;

export interface RetentionOptions {
  readonly runs: Pick<RunService, "store" | "deleteLineage">;
  readonly retention: Retention;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

/**
 * Deletes expired data every hour. Without retention rules it only completes deletions that had
 * started.
 */
export function watchRetention({ runs, retention, clock, log }: RetentionOptions): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  let cancel: (() => void) | undefined;
  let looked = 0;
  const pause = async (): Promise<void> => {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const cancelPause = clock.after(pauseMs, resolve);
    cancel = () => {
      cancelPause();
      resolve();
    };
    await over;
  };
  const sweep = async (): Promise<void> => {
    const { store } = runs;
    const common = { store, now: clock.now(), pause, signal };
    try {
      const pruned = await prune({
        ...common,
        retention,
        forget: (write) => runs.deleteLineage(write),
      });
      for (const one of pruned) {
        if (one.bytes > 0) log(prunedLine(one));
        if (one.held.unreadable !== undefined) log(unreadableLine(one));
      }
      if (hasRetentionRules(retention))
        looked = await deleteUnreachable({ ...common, after: looked });
      await store.collectBlobs(signal);
    } catch (thrown) {
      if (!signal.aborted) log(`Cannot delete expired data: ${errorMessage(thrown)}`);
    } finally {
      if (!signal.aborted) cancel = clock.after(everyMs, () => void sweep());
    }
  };
  cancel = clock.after(firstMs, () => void sweep());
  return () => {
    stopping.abort();
    cancel?.();
  };
}

function unreadableLine({ owner, held }: PruneReport): string {
  return `Retention: ${held.unreadable} of ${owner} is due but was not deleted, because some of its calls are corrupt and cannot be read.`;
}

function prunedLine({ owner, conversations, runs, bytes }: PruneReport): string {
  const size = `${(bytes / 1_048_576).toFixed(1)} MB`;
  return `Retention: deleted old data of ${owner} (conversations: ${conversations}, runs: ${runs}, ${size}).`;
}
