import { errorMessage } from "@capstan/core/host";
import type {
  ApprovalRecord,
  ClaimedRun,
  OutcomeOf,
  RunRef,
  Store,
  StoreWrite,
} from "@capstan/store";
import { type SlotLimits, Slots } from "./slots.ts";
import type { RunQueue } from "./run-queue.ts";

export interface DispatcherOptions {
  readonly store: Store;
  readonly limits: SlotLimits;
  /** Claims a run and resumes it; does nothing if it has another owner. */
  readonly claim: (run: RunRef) => Promise<void>;
  /** Resumes a claimed run, with the answer that was given to its approval request. */
  readonly resume: (run: ClaimedRun, answer?: ApprovalRecord) => Promise<void>;
  readonly isActive: (runId: string) => boolean;
  readonly isStopping: () => boolean;
  /** Milliseconds that only rise. @default the system's */
  readonly now?: () => number;
  readonly log: (line: string) => void;
}

/** A write that may make a suspended run ready. */
type Answer = Extract<StoreWrite, { type: "answer-approval" | "submit-outputs" }>;

/** How long the queue may take to deliver a run before it is claimed without the queue. */
const deliveryTimeoutMs = 1_000;

/** How many runs are claimed at once. */
const claimConcurrency = 16;

/** How many claimed runs are remembered. */
const maxRemembered = 1_000;

/**
 * Decides which runs execute in this process. A run needs a slot; without one it waits in the store as
 * `queued`, and executes where a slot is free first: here, or, with a queue, at any node.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #slots: Slots;
  #queue: RunQueue | undefined;
  /** Whether runs may wait in the store for a slot. */
  #hasQueued = false;
  #filling: Promise<void> | undefined;
  #fillAgain = false;
  readonly #slotWaiters = new Set<() => void>();
  /** When each run without an owner was seen first, by the run and its epoch. */
  #firstSeen = new Map<string, number>();

  /** The queued runs that were claimed last, here or at another node, by the run and its epoch. */
  readonly #claimed = new Set<string>();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#slots = new Slots(options.limits);
  }

  /** Offers runs without a slot here to other nodes from now on. */
  useQueue(queue: RunQueue): void {
    this.#queue = queue;
  }

  /** Acquires a slot for a run that is about to start. Returns false if the run has to be queued. */
  acquireSlot(runId: string, owner: string): boolean {
    return this.#slots.acquire(runId, owner);
  }

  /**
   * Stores an answer, and resumes the run that it makes ready. If there is a slot, which is acquired
   * beforehand in the name of the answer, the same commit claims the run.
   */
  async answer<T extends OutcomeOf<Answer>>(
    given: { readonly name: string; readonly owner: string },
    store: (claims: boolean) => Promise<T>,
  ): Promise<T> {
    const { name, owner } = given;
    const claims = !this.#options.isStopping() && this.#slots.acquire(name, owner);
    try {
      const outcome = await store(claims);
      const ready = "ready" in outcome ? outcome.ready : undefined;
      if (ready === undefined) return outcome;
      if (claims) this.#slots.transfer(name, ready.id);
      if (ready.status === "queued") await this.#claim(ready);
      else {
        const answer = "approval" in outcome ? outcome.approval : undefined;
        await this.#inSlot(ready, () => this.#options.resume(ready, answer));
      }
      return outcome;
    } finally {
      if (claims) this.releaseSlot(name);
    }
  }

  /** Releases the slot of a run that does not execute here any more. */
  releaseSlot(runId: string): void {
    this.#slots.release(runId);
    for (const notify of this.#slotWaiters) notify();
    if (this.#hasQueued) void this.fill();
  }

  /** Offers a queued run, which has no slot here, to other nodes. */
  offer(run: RunRef): void {
    this.#hasQueued = true;
    if (this.#queue?.isUp === true) this.#queue.offer([run]);
    // A slot may have become free while the run was being stored, and nothing else would use it.
    else if (this.#slots.free > 0) void this.fill();
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
    const { now = () => performance.now() } = this.#options;
    const at = now();
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
   * Called when the queue has delivered a run to this node. A queued run is only a hint that some wait:
   * the store has their order, so that the order of jobs favours nobody.
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
      // Requested after the last read.
      if (this.#fillAgain && !this.#options.isStopping()) void this.fill();
    });
    return this.#filling;
  }

  get hasFreeSlot(): boolean {
    return this.#slots.free > 0;
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
    const { store, isStopping, log } = this.#options;
    try {
      while (this.#fillAgain && !isStopping()) {
        this.#fillAgain = false;
        if (this.#slots.free <= 0) return;
        const each = Math.min(this.#slots.free, 100);
        const waiting = await store.everyQueued({ each });
        this.#hasQueued = waiting.length > 0;
        const taken = await Promise.all(this.#slots.next(waiting).map((run) => this.#claim(run)));
        if (taken.some(Boolean)) this.#fillAgain = true;
      }
    } catch (thrown) {
      log(`What is queued cannot be seen: ${errorMessage(thrown)}`);
    }
  }

  /** @returns whether the run got a slot */
  async #claim(run: RunRef): Promise<boolean> {
    const { claim, isStopping } = this.#options;
    // Another node or the next server claims it.
    if (isStopping()) return false;
    const isOrphan = run.status === "in_progress";
    const hadSlot = await this.#inSlot(run, () => claim(run), isOrphan);
    if (hadSlot) this.#remember(keyOf(run));
    return hadSlot;
  }

  /** Executes a run in a slot, or hands it back if none is free. @returns whether it got one */
  async #inSlot(run: RunRef, start: () => Promise<void>, isOrphan = false): Promise<boolean> {
    const { isActive, isStopping, log } = this.#options;
    const hasSlot = !isStopping() && this.#slots.acquire(run.id, run.owner);
    try {
      await (hasSlot ? start() : this.#handBack(run, isOrphan));
      return hasSlot;
    } catch (thrown) {
      log(`Run ${run.id} could not be taken up: ${errorMessage(thrown)}`);
      return false;
    } finally {
      if (hasSlot && !isActive(run.id)) this.releaseSlot(run.id);
    }
  }

  #remember(claimed: string): void {
    this.#claimed.add(claimed);
    if (this.#claimed.size <= maxRemembered) return;
    for (const oldest of this.#claimed) return void this.#claimed.delete(oldest);
  }

  /** Queues a run that found no slot, unless another node has claimed it. */
  async #handBack(run: RunRef, isOrphan: boolean): Promise<void> {
    if (run.status === "queued") return this.offer(run);
    const { id: runId, owner, epoch } = run;
    const event = { type: "run.orphaned", at: Date.now() } as const;
    const writes = isOrphan ? ([{ type: "event", event }] as const) : [];
    const [, queued] = await this.#options.store.write([
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
