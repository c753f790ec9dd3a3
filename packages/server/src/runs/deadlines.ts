import type { Clock } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import type { PendingApproval } from "@capstan/store";
import type { RunService } from "./run-service.ts";

/** The longest timer, so that a lost node delays no deadline for longer. */
const maxTimerMs = 60 * 60 * 1_000;

/** How many requests one write expires. */
const maxAtOnce = 1_000;

/** Pause after a check that failed or could not close a run, in milliseconds. */
const retryMs = 60 * 1_000;

export interface DeadlinesOptions {
  readonly runs: Pick<RunService, "expireApprovals" | "expire" | "setDeadlineListener"> & {
    readonly stores: Pick<RunService["stores"], "all">;
  };
  /** Ms after which a suspended run without an answer expires. */
  readonly suspendedMs: number;
  readonly clock: Clock;
  /** Makes one node check deadlines at that time. Returns false if the queue is not available. */
  readonly wakeAt?: (at: number) => boolean;
  readonly log: (line: string) => void;
}

/** Milliseconds after a deadline at which each node checks whether another node has handled it. */
const fallbackMs = 5_000;

export interface DeadlineWatch {
  /** Expires overdue approvals and runs. */
  readonly check: () => Promise<void>;
  readonly stop: () => void;
}

/**
 * Expires approval requests and suspended runs that were not answered in time. Uses one timer for
 * the next deadline: of all deadlines at the last check, and of requests that were stored here
 * since.
 *
 * A changed system time moves no deadline, because times are `Clock.monotonic`. The stored times of
 * a request are used once, when this process first reads it.
 */
export function watchDeadlines(options: DeadlinesOptions): DeadlineWatch {
  const { runs, suspendedMs, clock, log } = options;
  const countdown = new Countdown(clock);
  /**
   * The time of day, ignoring forward jumps of the clock since the start, which must not make
   * suspended runs overdue.
   */
  const startedAt = clock.now() - clock.monotonic();
  // Rounded to whole milliseconds, because PostgreSQL compares stored times only with integers.
  const timeOfDay = () => Math.floor(Math.min(clock.now(), startedAt + clock.monotonic()));
  let cancel: (() => void) | undefined;
  let stopped = false;
  /** The time for which the timer is set; that check finds later deadlines. `undefined` without a timer. */
  let armed: number | undefined;

  function disarm(): void {
    cancel?.();
    armed = undefined;
  }

  function arm(at: number, laterMs = 0): void {
    // A request that was stored during a check can expire before the deadlines that the check
    // found.
    if (stopped || at >= (armed ?? Infinity)) return;
    cancel?.();
    armed = at;
    cancel = clock.after(Math.max(at + laterMs - clock.monotonic(), 0), () => void check());
  }

  function armFor(deadline: number): void {
    if (stopped || (armed !== undefined && deadline >= armed)) return;
    const now = clock.monotonic();
    const at = Math.ceil(clock.now() + deadline - now) + 1;
    const isScheduled = deadline < Infinity && options.wakeAt?.(at) === true;
    arm(Math.min(deadline + 1, now + maxTimerMs), isScheduled ? fallbackMs : 0);
  }

  async function check(): Promise<void> {
    if (stopped) return;
    disarm();
    try {
      await runs.expireApprovals((await pendingApprovals(options, countdown)).over);
      const before = timeOfDay() - suspendedMs;
      const all = await expireSuspended(options, before, () => stopped);
      const earliest = all ? 0 : clock.monotonic() + retryMs;
      const { next } = await pendingApprovals(options, countdown);
      const since = await Promise.all(runs.stores.all.map((store) => store.everySuspendedSince()));
      const left = Math.min(...since.map((at = Infinity) => at)) - (timeOfDay() - suspendedMs);
      // A run that could not be closed is still overdue.
      armFor(Math.min(next, Math.max(clock.monotonic() + left, earliest)));
    } catch (thrown) {
      if (!stopped) log(`Deadlines could not be checked: ${errorMessage(thrown)}`);
      arm(clock.monotonic() + retryMs);
    }
  }

  runs.setDeadlineListener((pending) => {
    const ends = pending.map((approval) => countdown.endOf(approval));
    armFor(Math.min(...ends, clock.monotonic() + suspendedMs));
  });
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
  { runs, log }: DeadlinesOptions,
  before: number,
  isStopped: () => boolean,
): Promise<boolean> {
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

/** Returns the approval requests whose time is up, and the time of the next one. */
async function pendingApprovals(
  { runs: { stores }, clock }: DeadlinesOptions,
  countdown: Countdown,
): Promise<{ readonly over: readonly string[]; readonly next: number }> {
  const known = countdown.ids();
  const pending = (
    await Promise.all(stores.all.map((store) => store.everyPendingApproval()))
  ).flat();
  countdown.removeAnswered(known, pending);
  const now = clock.monotonic();
  const ends = pending.map((approval) => ({ id: approval.id, end: countdown.endOf(approval) }));
  const over = ends.filter(({ end }) => end <= now).map(({ id }) => id);
  return { over: over.slice(0, maxAtOnce), next: Math.min(...ends.map(({ end }) => end)) };
}

/** The expiry times of approval requests, on a monotonic clock. */
class Countdown {
  readonly #clock: Clock;
  readonly #ends = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * When this process first reads a request, for example after a restart, the request has its
   * remaining stored time, at most its whole limit.
   */
  endOf({ id, createdAt, expiresAt }: PendingApproval): number {
    const known = this.#ends.get(id);
    if (known !== undefined) return known;
    const left = Math.min(expiresAt - this.#clock.now(), expiresAt - createdAt);
    const end = this.#clock.monotonic() + Math.max(0, left);
    this.#ends.set(id, end);
    return end;
  }

  ids(): readonly string[] {
    return [...this.#ends.keys()];
  }

  /** Removes the requests of `known` that are no longer pending. */
  removeAnswered(known: readonly string[], pending: readonly PendingApproval[]): void {
    const open = new Set(pending.map(({ id }) => id));
    for (const id of known) if (!open.has(id)) this.#ends.delete(id);
  }
}
