import { type Clock, errorMessage } from "@capstan/core";
import type { RunService } from "./run-service.ts";

/** How long a timer may be; what is asked meanwhile lasts longer than this. */
const longestMs = 60 * 60 * 1_000;

/** After a sweep that failed. */
const againMs = 60 * 1_000;

export interface DeadlinesOptions {
  readonly runs: Pick<RunService, "store" | "expireApprovals" | "expire">;
  /** Ms after which a run that nobody answered is over. */
  readonly parkedMs: number;
  readonly clock: Clock;
  /** Has somebody look at deadlines then, at one node. False where nobody can be relied on. */
  readonly wakeAt?: (at: number) => boolean;
  readonly log: (line: string) => void;
}

/** How long after its time a deadline is looked at by who only makes sure that somebody has. */
const afterwardsMs = 5_000;

export interface DeadlineWatch {
  /** Ends what is over by now. */
  readonly look: () => Promise<void>;
  readonly stop: () => void;
}

/** Ends what nobody answered in time: questions, and runs that wait. One timer, set for the next. */
export function watchDeadlines(options: DeadlinesOptions): DeadlineWatch {
  const { runs, clock, log } = options;
  let cancel: (() => void) | undefined;
  let stopped = false;
  const look = async (): Promise<void> => {
    cancel?.();
    let ms = againMs;
    try {
      await runs.expireApprovals();
      await expireParked(options);
      const next = await nextDeadline(options);
      const left = next === undefined ? longestMs : Math.max(next - clock.now(), 0) + 1;
      const isTold = next !== undefined && options.wakeAt?.(next + 1) === true;
      ms = Math.min(left + (isTold ? afterwardsMs : 0), longestMs);
    } catch (thrown) {
      if (!stopped) log(`Deadlines could not be kept: ${errorMessage(thrown)}`);
    } finally {
      cancel?.();
      if (!stopped) cancel = clock.after(ms, () => void look());
    }
  };
  void look();
  return {
    look,
    stop: () => {
      stopped = true;
      cancel?.();
    },
  };
}

async function expireParked({ runs, parkedMs, clock, log }: DeadlinesOptions): Promise<void> {
  const before = clock.now() - parkedMs;
  for (const run of await runs.store.everyParkedBefore({ before })) {
    try {
      await runs.expire(run);
    } catch (thrown) {
      log(`Run ${run.id} could not be expired: ${errorMessage(thrown)}`);
    }
  }
}

/** When a question or a waiting run is over next. */
async function nextDeadline({
  runs: { store },
  parkedMs,
}: DeadlinesOptions): Promise<number | undefined> {
  const [approval, since] = await Promise.all([store.everyNextExpiry(), store.everyParkedSince()]);
  const parked = since === undefined ? undefined : since + parkedMs;
  const known = [approval, parked].filter((at) => at !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
