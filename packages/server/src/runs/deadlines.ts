import type { Clock } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import type { RunService } from "./run-service.ts";

/** The longest timer, so that a clock change or a lost node delays no deadline for longer. */
const maxTimerMs = 60 * 60 * 1_000;

/** After a check that failed or could not close a run. */
const retryMs = 60 * 1_000;

export interface DeadlinesOptions {
  readonly runs: Pick<RunService, "expireApprovals" | "expire" | "setDeadlineListener"> & {
    readonly stores: Pick<RunService["stores"], "all">;
  };
  /** Ms after which a suspended run without an answer expires. */
  readonly suspendedMs: number;
  readonly clock: Clock;
  /** Has one node check deadlines at that time. Returns false if the queue is not available. */
  readonly wakeAt?: (at: number) => boolean;
  readonly log: (line: string) => void;
}

/** How long after a deadline a node checks whether another has handled it. */
const fallbackMs = 5_000;

export interface DeadlineWatch {
  /** Expires what is overdue. */
  readonly check: () => Promise<void>;
  readonly stop: () => void;
}

/**
 * Expires approval requests and suspended runs without an answer in time. Uses one timer for the next
 * deadline: of all deadlines at the last check, and of requests that were stored here since.
 */
export function watchDeadlines(options: DeadlinesOptions): DeadlineWatch {
  const { runs, suspendedMs, clock, log } = options;
  let cancel: (() => void) | undefined;
  let stopped = false;
  /** The time for which the timer is set; that check finds later deadlines. `undefined` without a timer. */
  let armed: number | undefined;

  function disarm(): void {
    cancel?.();
    armed = undefined;
  }

  function arm(at: number, laterMs = 0): void {
    // A request that was stored during a check may expire before the deadlines that the check found.
    if (stopped || at >= (armed ?? Infinity)) return;
    cancel?.();
    armed = at;
    cancel = clock.after(Math.max(at + laterMs - clock.now(), 0), () => void check());
  }

  function armFor(deadline: number): void {
    if (stopped || (armed !== undefined && deadline >= armed)) return;
    const isScheduled = deadline < Infinity && options.wakeAt?.(deadline + 1) === true;
    arm(Math.min(deadline + 1, clock.now() + maxTimerMs), isScheduled ? fallbackMs : 0);
  }

  async function check(): Promise<void> {
    if (stopped) return;
    disarm();
    try {
      await runs.expireApprovals();
      const earliest = (await expireSuspended(options, () => stopped)) ? 0 : clock.now() + retryMs;
      const { approval, suspended } = await nextDeadlines(options);
      // A run that could not be closed is still overdue.
      armFor(Math.min(approval, Math.max(suspended, earliest)));
    } catch (thrown) {
      if (!stopped) log(`Deadlines could not be kept: ${errorMessage(thrown)}`);
      arm(clock.now() + retryMs);
    }
  }

  runs.setDeadlineListener((expiresAt) => armFor(Math.min(expiresAt, clock.now() + suspendedMs)));
  void check();
  return {
    check,
    stop: () => {
      stopped = true;
      disarm();
    },
  };
}

/** @returns whether all overdue runs have been closed */
async function expireSuspended(
  { runs, suspendedMs, clock, log }: DeadlinesOptions,
  isStopped: () => boolean,
): Promise<boolean> {
  const before = clock.now() - suspendedMs;
  let all = true;
  const overdue = await Promise.all(
    runs.stores.all.map((store) => store.everySuspendedBefore({ before })),
  );
  for (const run of overdue.flat()) {
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

/** Returns the next expiry of an approval request and of a suspended run; Infinity if there is none. */
async function nextDeadlines({ runs: { stores }, suspendedMs }: DeadlinesOptions): Promise<{
  readonly approval: number;
  readonly suspended: number;
}> {
  const found = await Promise.all(
    stores.all.map((store) => Promise.all([store.everyNextExpiry(), store.everySuspendedSince()])),
  );
  return {
    approval: Math.min(...found.map(([approval = Infinity]) => approval)),
    suspended: Math.min(...found.map(([, since = Infinity]) => since)) + suspendedMs,
  };
}
