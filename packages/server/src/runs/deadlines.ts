import type { Clock } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import type { RunService } from "./run-service.ts";

/** How long a timer may be, so that a clock that was set, or a node that nobody saw go, delays nothing for longer. */
const longestMs = 60 * 60 * 1_000;

/** After a look that failed, or left something. */
const againMs = 60 * 1_000;

export interface DeadlinesOptions {
  readonly runs: Pick<RunService, "store" | "expireApprovals" | "expire" | "setDeadlineListener">;
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

/**
 * Ends what nobody answered in time: questions, and runs that wait. One timer, set for the next: of
 * all that there are at a look, and of what is asked here from then on.
 */
export function watchDeadlines(options: DeadlinesOptions): DeadlineWatch {
  const { runs, parkedMs, clock, log } = options;
  let cancel: (() => void) | undefined;
  let stopped = false;
  /** What the timer is set for: what is over later is found by that look. Undefined while there is none. */
  let armed: number | undefined;

  function disarm(): void {
    cancel?.();
    armed = undefined;
  }

  function arm(at: number, laterMs = 0): void {
    // What was asked during a look may be over sooner than what the look found.
    if (stopped || at >= (armed ?? Infinity)) return;
    cancel?.();
    armed = at;
    cancel = clock.after(Math.max(at + laterMs - clock.now(), 0), () => void look());
  }

  function armFor(deadline: number): void {
    if (stopped || (armed !== undefined && deadline >= armed)) return;
    const isTold = deadline < Infinity && options.wakeAt?.(deadline + 1) === true;
    arm(Math.min(deadline + 1, clock.now() + longestMs), isTold ? afterwardsMs : 0);
  }

  async function look(): Promise<void> {
    if (stopped) return;
    disarm();
    try {
      await runs.expireApprovals();
      const earliest = (await expireParked(options, () => stopped)) ? 0 : clock.now() + againMs;
      const { question, parked } = await nextDeadlines(options);
      // What could not be ended is over still.
      armFor(Math.min(question, Math.max(parked, earliest)));
    } catch (thrown) {
      if (!stopped) log(`Deadlines could not be kept: ${errorMessage(thrown)}`);
      arm(clock.now() + againMs);
    }
  }

  runs.setDeadlineListener((expiresAt) => armFor(Math.min(expiresAt, clock.now() + parkedMs)));
  void look();
  return {
    look,
    stop: () => {
      stopped = true;
      disarm();
    },
  };
}

/** @returns whether all that are over have ended */
async function expireParked(
  { runs, parkedMs, clock, log }: DeadlinesOptions,
  isStopped: () => boolean,
): Promise<boolean> {
  const before = clock.now() - parkedMs;
  let all = true;
  for (const run of await runs.store.everySuspendedBefore({ before })) {
    if (isStopped()) return false;
    try {
      await runs.expire(run);
    } catch (thrown) {
      all = false;
      if (!isStopped()) log(`Run ${run.id} could not be expired: ${errorMessage(thrown)}`);
    }
  }
  return all;
}

/** When a question and a waiting run are over next; Infinity where there is none. */
async function nextDeadlines({ runs: { store }, parkedMs }: DeadlinesOptions): Promise<{
  readonly question: number;
  readonly parked: number;
}> {
  const [question = Infinity, since = Infinity] = await Promise.all([
    store.everyNextExpiry(),
    store.everySuspendedSince(),
  ]);
  return { question, parked: since + parkedMs };
}
