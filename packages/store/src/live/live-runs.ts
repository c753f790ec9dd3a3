import type { Published } from "./store.ts";
import type { PublishedPosition, TailMark, RecoveredRun } from "../records/read-results.ts";
import type { ClaimedRun } from "../records/claimed-run.ts";
import type { UnnumberedEvent } from "../records/records.ts";
import type { AppliedOutcome } from "../records/write-results.ts";

interface LiveItem {
  count: number;
  /** Sparse, so that a page in the middle of a long item need not be searched from its end. */
  readonly marks: TailMark[];
  newest: TailMark;
}

interface LiveRun {
  lastSeq: number;
  /** The number of writes that the writer has not answered yet. */
  pending: number;
  /** Whether this process runs the run. */
  inProgress: boolean;
  readonly items: Map<string, LiveItem>;
}

/** The number of deltas of an item between two stored marks. */
const stride = 256;

/**
 * The state of runs that are being written, for databases that cannot be queried for it by key. It
 * does not include runs that are not in progress and have no pending writes.
 */
export class LiveRuns {
  readonly #runs = new Map<string, LiveRun>();

  constructor(recoveredRuns: readonly RecoveredRun[]) {
    for (const { runId, lastSeq, items } of recoveredRuns) {
      const live: LiveRun = { lastSeq, pending: 0, inProgress: true, items: new Map() };
      for (const { itemId, head } of items) {
        live.items.set(itemId, { count: 1, marks: [], newest: { seq: lastSeq, n: head } });
      }
      this.#runs.set(runId, live);
    }
  }

  /**
   * This process claimed a run. No other process writes to it, so the cached last number remains
   * valid.
   */
  claimed({ id, lastSeq }: Pick<ClaimedRun, "id" | "lastSeq">): void {
    const live = this.#runs.get(id) ?? { lastSeq, pending: 0, inProgress: true, items: new Map() };
    live.inProgress = true;
    this.#runs.set(id, live);
  }

  /**
   * A journal is submitted. `storedSeq` is read if no other write is pending, because then the
   * database is up to date.
   */
  begin(runId: string, storedSeq: () => number): void {
    const known = this.#runs.get(runId);
    if (known !== undefined) known.pending += 1;
    else
      this.#runs.set(runId, {
        lastSeq: storedSeq(),
        pending: 1,
        inProgress: false,
        items: new Map(),
      });
  }

  /**
   * A journal was committed: its events, the number before them, and the tail's row of the first
   * delta.
   */
  committed(
    runId: string,
    given: {
      readonly events: readonly UnnumberedEvent[];
      readonly seqBefore: number;
      readonly firstTail: number;
    },
  ): void {
    const live = this.#runs.get(runId);
    if (live === undefined) return;
    live.inProgress = true;
    let seq = given.seqBefore;
    let n = given.firstTail;
    for (const event of given.events) {
      seq += 1;
      if (event.type === "item.delta") addDelta(live.items, event.itemId, { seq, n: n++ });
      if (event.type === "item.end") live.items.delete(event.itemId);
    }
    live.lastSeq = seq;
  }

  /** The run is no longer in progress: its items were moved out of the tail. */
  folded(runId: string): void {
    const live = this.#runs.get(runId);
    if (live === undefined) return;
    live.items.clear();
    live.inProgress = false;
    this.#release(runId, live);
  }

  /** Records that the outcome of a journal has arrived. */
  end(runId: string): void {
    const live = this.#runs.get(runId);
    if (live === undefined) return;
    live.pending -= 1;
    this.#release(runId, live);
  }

  /** Returns the number of the last published event if the database can be ahead of it. */
  lastSeq(runId: string): number | undefined {
    return this.#runs.get(runId)?.lastSeq;
  }

  position(runId: string, storedSeq: () => number): PublishedPosition {
    const live = this.#runs.get(runId);
    if (live === undefined) return { lastSeq: storedSeq(), items: [] };
    const items = [...live.items].map(([itemId, { marks, newest }]) => ({
      itemId,
      heads: [...marks, newest],
    }));
    return { lastSeq: live.lastSeq, items };
  }

  #release(runId: string, live: LiveRun): void {
    if (live.pending <= 0 && !live.inProgress) this.#runs.delete(runId);
  }
}

function addDelta(items: Map<string, LiveItem>, itemId: string, mark: TailMark): void {
  const item = items.get(itemId);
  if (item === undefined) {
    items.set(itemId, { count: 1, marks: [], newest: mark });
    return;
  }
  if (item.count % stride === 0) item.marks.push(item.newest);
  item.count += 1;
  item.newest = mark;
}

/** Returns the run that a write claimed, or undefined if it claimed none. */
export function findClaim(
  write: { readonly type: string; readonly runId?: string },
  outcome: AppliedOutcome,
): Pick<ClaimedRun, "id" | "lastSeq"> | undefined {
  if (outcome.status === "claimed" && write.runId !== undefined)
    return { id: write.runId, lastSeq: outcome.lastSeq };
  // Any process can claim a run that became ready because an approval expired.
  if (outcome.status === "expired" || !("ready" in outcome)) return undefined;
  return outcome.ready?.status === "in_progress" ? outcome.ready : undefined;
}

type Listener = (published: Published) => void;

/** Notifies the subscribers of this process of commits. It stores nothing. */
export class Publisher {
  readonly #listeners = new Map<string, Set<Listener>>();

  subscribe(runId: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(runId) ?? new Set();
    this.#listeners.set(runId, listeners);
    // A new function, so that the same listener can subscribe twice.
    const own: Listener = (published) => listener(published);
    listeners.add(own);
    return () => {
      listeners.delete(own);
      if (listeners.size === 0 && this.#listeners.get(runId) === listeners)
        this.#listeners.delete(runId);
    };
  }

  /** Notifies the subscribers of all runs. */
  publishToAll(published: Published): void {
    for (const runId of this.#listeners.keys()) this.publish(runId, published);
  }

  publish(runId: string, published: Published): void {
    for (const listener of this.#listeners.get(runId) ?? []) {
      try {
        listener(published);
      } catch (error) {
        // The commit stays valid, and the other listeners are called.
        process.emitWarning(error instanceof Error ? error : String(error), "StoreListenerWarning");
      }
    }
  }
}
