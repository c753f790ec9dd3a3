import type { Clock } from "@capstan/core";
import { errorMessage } from "@capstan/core/host";
import type {
  ApprovalRecord,
  ClaimedRun,
  OutcomeOf,
  RunRef,
  Store,
  StoreWrite,
} from "@capstan/store";
import type { RunQueue } from "./run-queue.ts";

/** Claims runs and resumes them: the registry of active runs. */
export interface RunClaims {
  readonly isStopping: boolean;
  isActive(runId: string): boolean;
  claim(run: RunRef): Promise<void>;
  resume(claimed: ClaimedRun, answer?: ApprovalRecord): Promise<void>;
  claimDuring<T>(runId: string, commit: () => Promise<T>): Promise<T>;
}

export interface DispatcherOptions {
  readonly stores: {
    readonly durable: Store;
    readonly all: readonly Store[];
    of(runId: string): Store;
  };
  readonly slots: Slots;
  readonly runs: RunClaims;
  readonly clock: Clock;
  readonly log: (line: string) => void;
}

/** A write that may make a suspended run ready. */
type Answer = Extract<StoreWrite, { type: "answer-approval" | "submit-outputs" }>;

/**
 * Time for the queue to deliver a run, in milliseconds. After it the run is claimed without the
 * queue.
 */
const deliveryTimeoutMs = 1_000;

/** Number of runs that are claimed at the same time. */
const claimConcurrency = 16;

/** Number of recently claimed runs that are cached. */
const maxRemembered = 1_000;

/**
 * Decides which runs execute in this process. A run needs a slot. Without one it waits in the store
 * as `queued` and executes on the first node with a free slot: with a queue on any node, otherwise
 * on this one.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  #queue: RunQueue | undefined;
  /** Whether runs could be waiting in the store for a slot. */
  #hasQueued = false;
  #filling: Promise<void> | undefined;
  #fillAgain = false;
  readonly #slotWaiters = new Set<() => void>();
  /** When each run without an owner was seen first (`Clock.monotonic`), by the run and its epoch. */
  #firstSeen = new Map<string, number>();

  /** The queued runs that were claimed last, here or at another node, by the run and its epoch. */
  readonly #claimed = new Set<string>();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    options.slots.setReleaseListener(() => this.#slotReleased());
  }

  /** Offers runs without a slot here to other nodes from now on. */
  useQueue(queue: RunQueue): void {
    this.#queue = queue;
  }

  /**
   * Stores an answer, and resumes the run that it makes ready. First acquires a slot in the name of
   * the answer. If one is free, the same commit claims the run.
   */
  answer<T extends OutcomeOf<Answer>>(
    given: { readonly name: string; readonly owner: string; readonly runId: string },
    store: (claims: boolean) => Promise<T>,
  ): Promise<T> {
    const { name, owner, runId } = given;
    const { slots, runs } = this.#options;
    return runs.claimDuring(runId, async () => {
      const claims = !runs.isStopping && slots.acquire(name, owner);
      try {
        const outcome = await store(claims);
        const ready = "ready" in outcome ? outcome.ready : undefined;
        if (ready === undefined) return outcome;
        if (claims) slots.transfer(name, ready.id);
        if (ready.status === "queued") await this.#claim(ready);
        else {
          const answer = "approval" in outcome ? outcome.approval : undefined;
          await this.#inSlot(ready, () => runs.resume(ready, answer));
        }
        return outcome;
      } finally {
        if (claims) slots.release(name);
      }
    });
  }

  #slotReleased(): void {
    for (const notify of this.#slotWaiters) notify();
    if (this.#hasQueued) void this.fill();
  }

  /** Offers a queued run, which has no slot here, to other nodes. */
  offer(run: RunRef): void {
    this.#hasQueued = true;
    const { stores } = this.#options;
    const isShared = stores.of(run.id) === stores.durable;
    if (isShared && this.#queue?.isUp === true) this.#queue.offer([run]);
    // A slot could have become free while the run was being stored, and no other event would use
    // it.
    else if (this.#options.slots.free > 0) void this.fill();
  }

  /** Claims runs without an owner while slots are free; the others stay queued. */
  async claim(runs: readonly RunRef[]): Promise<void> {
    for (let from = 0; from < runs.length; from += claimConcurrency) {
      await Promise.all(runs.slice(from, from + claimConcurrency).map((run) => this.#claim(run)));
    }
  }

  /**
   * Claims orphaned and queued runs. With a queue it offers them there first, so that all nodes share
   * them; runs that the queue does not deliver are claimed without it.
   */
  async sweep(orphans: readonly RunRef[]): Promise<void> {
    const at = this.#options.clock.monotonic();
    const before = this.#firstSeen;
    this.#firstSeen = new Map(orphans.map((run) => [keyOf(run), before.get(keyOf(run)) ?? at]));
    const isUp = this.#queue?.isUp === true;
    const isFresh = (run: RunRef) =>
      isUp && at - (this.#firstSeen.get(keyOf(run)) ?? at) < deliveryTimeoutMs;
    this.#queue?.offer(orphans.filter((run) => isUp && !before.has(keyOf(run))));
    await this.claim(orphans.filter((run) => !isFresh(run)));
    await this.fill();
  }

  /**
   * Called when the queue has delivered a run to this node. A job for a queued run is only a hint
   * that runs wait. The store has their order, so the order of jobs does not matter.
   */
  async onDelivery(run: RunRef): Promise<void> {
    if (run.status === "queued") await (this.#claimed.has(keyOf(run)) || this.fill());
    else await this.claim([run]);
  }

  /** Gives free slots to queued runs, one principal after the other. */
  fill(): Promise<void> {
    this.#fillAgain = true;
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = undefined;
      // Another fill was requested after the last read.
      if (this.#fillAgain && !this.#options.runs.isStopping) void this.fill();
    });
    return this.#filling;
  }

  get hasFreeSlot(): boolean {
    return this.#options.slots.free > 0;
  }

  /** Resolves when a slot is free. */
  async freeSlot(signal: AbortSignal): Promise<void> {
    while (!this.hasFreeSlot && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const notify = () => resolve();
      this.#slotWaiters.add(notify);
      signal.addEventListener("abort", notify);
      await promise;
      this.#slotWaiters.delete(notify);
      signal.removeEventListener("abort", notify);
    }
  }

  async #fill(): Promise<void> {
    const { stores, slots, runs, log } = this.#options;
    try {
      while (this.#fillAgain && !runs.isStopping) {
        this.#fillAgain = false;
        if (slots.free <= 0) return;
        const each = Math.min(slots.free, 100);
        const queued = await Promise.all(stores.all.map((store) => store.everyQueued({ each })));
        const waiting = queued.flat();
        this.#hasQueued = waiting.length > 0;
        const taken = await Promise.all(slots.next(waiting).map((run) => this.#claim(run)));
        if (taken.some(Boolean)) this.#fillAgain = true;
      }
    } catch (thrown) {
      log(`Cannot read the queued runs: ${errorMessage(thrown)}`);
    }
  }

  /** @returns whether the run got a slot */
  async #claim(run: RunRef): Promise<boolean> {
    const { runs } = this.#options;
    // Another node or the next server claims it.
    if (runs.isStopping) return false;
    const isOrphan = run.status === "in_progress";
    const hadSlot = await this.#inSlot(run, () => runs.claim(run), isOrphan);
    if (hadSlot) this.#cacheClaimed(keyOf(run));
    return hadSlot;
  }

  /** Executes a run in a slot, or hands it back if none is free. @returns whether it got one */
  async #inSlot(run: RunRef, start: () => Promise<void>, isOrphan = false): Promise<boolean> {
    const { runs, slots, log } = this.#options;
    const hasSlot = !runs.isStopping && slots.acquire(run.id, run.owner);
    try {
      await (hasSlot ? start() : this.#handBack(run, isOrphan));
      return hasSlot;
    } catch (thrown) {
      log(`Run ${run.id} could not be resumed: ${errorMessage(thrown)}`);
      return false;
    } finally {
      if (hasSlot && !runs.isActive(run.id)) slots.release(run.id);
    }
  }

  #cacheClaimed(claimed: string): void {
    this.#claimed.add(claimed);
    if (this.#claimed.size <= maxRemembered) return;
    for (const oldest of this.#claimed) return void this.#claimed.delete(oldest);
  }

  /** Queues a run that found no slot, unless another node has claimed it. */
  async #handBack(run: RunRef, isOrphan: boolean): Promise<void> {
    if (run.status === "queued") return this.offer(run);
    const { id: runId, owner, epoch } = run;
    const event = { type: "run.orphaned", at: this.#options.clock.now() } as const;
    const writes = isOrphan ? ([{ type: "event", event }] as const) : [];
    const [, queued] = await this.#options.stores.of(runId).write([
      { type: "journal", runId, epoch, writes },
      { type: "set-status", runId, epoch, status: "queued" },
    ]);
    if (queued.status === "changed")
      this.offer({ id: runId, owner, status: "queued", epoch: queued.epoch });
  }
}

function keyOf({ id, epoch }: RunRef): string {
  return `${id} ${epoch}`;
}

/** The concurrency limits of this process: for all runs, and for the runs of one principal. */
export interface SlotLimits {
  readonly runsAtOnce: number;
  readonly runsOfOne: number;
}

/**
 * The slots for runs that execute in this process. A run acquires a slot before it starts and releases
 * it when it stops; without a slot it waits in the store, as `queued`.
 */
export class Slots {
  readonly #limits: SlotLimits;
  /** The principals of the runs that have a slot, by run. */
  readonly #acquired = new Map<string, string>();
  readonly #usedByOwner = new Map<string, number>();
  #onRelease: () => void = () => {};

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Sets the listener for slots that become free. */
  setReleaseListener(listener: () => void): void {
    this.#onRelease = listener;
  }

  get free(): number {
    return this.#limits.runsAtOnce - this.#acquired.size;
  }

  /** Acquires a slot. Returns false if none is free for this principal. A run that has one keeps it. */
  acquire(runId: string, owner: string): boolean {
    if (this.#acquired.has(runId)) return true;
    const used = this.usedBy(owner);
    if (this.free <= 0 || used >= this.#limits.runsOfOne) return false;
    this.#acquired.set(runId, owner);
    this.#usedByOwner.set(owner, used + 1);
    return true;
  }

  /** Transfers a slot to a run that was not known when the slot was acquired. */
  transfer(from: string, to: string): void {
    const owner = this.#acquired.get(from);
    if (owner === undefined || this.#acquired.has(to)) return;
    this.#acquired.delete(from);
    this.#acquired.set(to, owner);
  }

  release(runId: string): void {
    const owner = this.#acquired.get(runId);
    if (owner === undefined) return;
    this.#acquired.delete(runId);
    const left = this.usedBy(owner) - 1;
    if (left > 0) this.#usedByOwner.set(owner, left);
    else this.#usedByOwner.delete(owner);
    this.#onRelease();
  }

  /**
   * Selects the next runs of a queue: first those of the principal with the fewest slots, each
   * principal's in order. So a principal's first run does not wait for another's hundredth.
   */
  next<R extends { readonly owner: string }>(waiting: readonly R[]): readonly R[] {
    const counts = new Map<string, number>();
    const turns = waiting.map((run, index) => {
      const turn = (counts.get(run.owner) ?? this.usedBy(run.owner)) + 1;
      counts.set(run.owner, turn);
      return { run, turn, index };
    });
    return turns
      .filter(({ turn }) => turn <= this.#limits.runsOfOne)
      .toSorted((a, b) => a.turn - b.turn || a.index - b.index)
      .slice(0, Math.max(0, this.free))
      .map(({ run }) => run);
  }

  usedBy(owner: string): number {
    return this.#usedByOwner.get(owner) ?? 0;
  }
}
