import { errorMessage } from "@capstan/core/host";
import type {
  ApprovalRecord,
  ClaimedRun,
  OutcomeOf,
  RunRef,
  Store,
  StoreWrite,
} from "@capstan/store";
import { type PlaceLimits, Places } from "./slots.ts";
import type { RunQueue } from "./run-queue.ts";

export interface DispatcherOptions {
  readonly store: Store;
  readonly limits: PlaceLimits;
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

/** What a run may wait for. */
type Answer = Extract<StoreWrite, { type: "answer-approval" | "submit-outputs" }>;

/** How long a run that was handed to the queue may lie there before it is taken up without it. */
const patienceMs = 1_000;

/** How many runs are claimed at once. */
const atOnce = 16;

/** How many runs that were taken up are remembered. */
const remembered = 1_000;

/**
 * Which runs go on in this process. A run needs a place; without one it waits in the store as
 * `queued`, and goes on where a place is free first: here, or, where there is a queue, at any node.
 */
export class Dispatcher {
  readonly #options: DispatcherOptions;
  readonly #places: Places;
  #queue: RunQueue | undefined;
  /** Something may wait in the store that only found no place. */
  #someWait = false;
  #filling: Promise<void> | undefined;
  #fillAgain = false;
  readonly #forRoom = new Set<() => void>();
  /** Runs that nobody holds, and since when they were seen, by the run and its epoch. */
  #seen = new Map<string, number>();

  /** Queued runs that were looked for and claimed, here or elsewhere, by the run and its epoch: the last ones. */
  readonly #claimed = new Set<string>();

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#places = new Places(options.limits);
  }

  /** From now on runs without a place here are offered to other nodes. */
  offerTo(queue: RunQueue): void {
    this.#queue = queue;
  }

  /** Takes a place for a run that is about to begin. False: it has to be queued. */
  admits(runId: string, owner: string): boolean {
    return this.#places.take(runId, owner);
  }

  /**
   * Answers a run that may wait for it. It goes on here where there is a place for it, which is
   * taken beforehand in the name of what it is answered with: claiming it is part of the answer then.
   */
  async answered<T extends OutcomeOf<Answer>>(
    given: { readonly name: string; readonly owner: string },
    answer: (claims: boolean) => Promise<T>,
  ): Promise<T> {
    const { name, owner } = given;
    const claims = !this.#options.isStopping() && this.#places.take(name, owner);
    try {
      const outcome = await answer(claims);
      const ready = "ready" in outcome ? outcome.ready : undefined;
      if (ready === undefined) return outcome;
      if (claims) this.#places.pass(name, ready.id);
      if (ready.status === "queued") await this.#take(ready);
      else {
        const answer = "approval" in outcome ? outcome.approval : undefined;
        await this.#inItsPlace(ready, () => this.#options.resume(ready, answer));
      }
      return outcome;
    } finally {
      if (claims) this.left(name);
    }
  }

  /** A run does not go on here any more. */
  left(runId: string): void {
    this.#places.give(runId);
    for (const tell of this.#forRoom) tell();
    if (this.#someWait) void this.fill();
  }

  /** A run was queued that has no place here. */
  waits(run: RunRef): void {
    this.#someWait = true;
    if (this.#queue?.isUp === true) this.#queue.offer([run]);
    // A place may have become free while it was being stored: nobody would look for it any more.
    else if (this.#places.free > 0) void this.fill();
  }

  /** Takes runs up that nobody holds, as far as there is room; the others wait their turn. */
  async take(runs: readonly RunRef[]): Promise<void> {
    for (let from = 0; from < runs.length; from += atOnce) {
      await Promise.all(runs.slice(from, from + atOnce).map((run) => this.#take(run)));
    }
  }

  /**
   * A look at what lies about: runs whose node is gone, and queued ones. With a queue they are handed
   * to it first, so that all nodes share them; what it loses is taken up without it.
   */
  async sweep(orphans: readonly RunRef[]): Promise<void> {
    const { now = () => performance.now() } = this.#options;
    const at = now();
    const before = this.#seen;
    this.#seen = new Map(orphans.map((run) => [keyOf(run), before.get(keyOf(run)) ?? at]));
    const isUp = this.#queue?.isUp === true;
    const isFresh = (run: RunRef) => isUp && at - (this.#seen.get(keyOf(run)) ?? at) < patienceMs;
    this.#queue?.offer(orphans.filter((run) => isUp && !before.has(keyOf(run))));
    await this.take(orphans.filter((run) => !isFresh(run)));
    await this.fill();
  }

  /**
   * The queue handed a run to this node. A queued one is a sign that some wait: whose turn it is the
   * store says, so that the order of jobs is nobody's advantage. What an earlier look found is done.
   */
  async handed(run: RunRef): Promise<void> {
    if (run.status === "queued") await (this.#claimed.has(keyOf(run)) || this.fill());
    else await this.take([run]);
  }

  /** Gives free places to queued runs, in turns of their principals. */
  fill(): Promise<void> {
    this.#fillAgain = true;
    this.#filling ??= this.#fill().finally(() => {
      this.#filling = undefined;
      // Asked for after the last look.
      if (this.#fillAgain && !this.#options.isStopping()) void this.fill();
    });
    return this.#filling;
  }

  get hasRoom(): boolean {
    return this.#places.free > 0;
  }

  /** Resolves once there is room for a run. */
  async room(signal: AbortSignal): Promise<void> {
    while (!this.hasRoom && !signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const tell = () => resolve();
      this.#forRoom.add(tell);
      signal.addEventListener("abort", tell);
      await promise;
      this.#forRoom.delete(tell);
      signal.removeEventListener("abort", tell);
    }
  }

  async #fill(): Promise<void> {
    const { store, isStopping, log } = this.#options;
    try {
      while (this.#fillAgain && !isStopping()) {
        this.#fillAgain = false;
        if (this.#places.free <= 0) return;
        const each = Math.min(this.#places.free, 100);
        const waiting = await store.everyQueued({ each });
        this.#someWait = waiting.length > 0;
        const taken = await Promise.all(this.#places.next(waiting).map((run) => this.#take(run)));
        if (taken.some(Boolean)) this.#fillAgain = true;
      }
    } catch (thrown) {
      log(`What is queued cannot be seen: ${errorMessage(thrown)}`);
    }
  }

  /** @returns whether something was done with it: it need not be looked at again at once */
  async #take(run: RunRef): Promise<boolean> {
    const { claim, isStopping } = this.#options;
    // Another node takes it up, or the next server.
    if (isStopping()) return false;
    const isOrphan = run.status === "in_progress";
    const hadPlace = await this.#inItsPlace(run, () => claim(run), isOrphan);
    if (hadPlace) this.#remember(keyOf(run));
    return hadPlace;
  }

  /** Goes on with a run, or hands it back where it finds no place. @returns whether it had one */
  async #inItsPlace(run: RunRef, start: () => Promise<void>, isOrphan = false): Promise<boolean> {
    const { isActive, isStopping, log } = this.#options;
    const hasPlace = !isStopping() && this.#places.take(run.id, run.owner);
    try {
      await (hasPlace ? start() : this.#handBack(run, isOrphan));
      return hasPlace;
    } catch (thrown) {
      log(`Run ${run.id} could not be taken up: ${errorMessage(thrown)}`);
      return false;
    } finally {
      if (hasPlace && !isActive(run.id)) this.left(run.id);
    }
  }

  #remember(claimed: string): void {
    this.#claimed.add(claimed);
    if (this.#claimed.size <= remembered) return;
    for (const oldest of this.#claimed) return void this.#claimed.delete(oldest);
  }

  /** No place: from now on it waits with the others. Where another was quicker, it does so there. */
  async #handBack(run: RunRef, isOrphan: boolean): Promise<void> {
    if (run.status === "queued") return this.waits(run);
    const { id: runId, owner, epoch } = run;
    const event = { type: "run.orphaned", at: Date.now() } as const;
    const writes = isOrphan ? ([{ type: "event", event }] as const) : [];
    const [, queued] = await this.#options.store.write([
      { type: "journal", runId, epoch, writes },
      { type: "set-status", runId, epoch, status: "queued" },
    ]);
    if (queued.status === "changed")
      this.waits({ id: runId, owner, status: "queued", epoch: queued.epoch });
  }
}

function keyOf({ id, epoch }: RunRef): string {
  return `${id} ${epoch}`;
}
