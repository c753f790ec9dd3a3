import type { RunEvent } from "@capstan/contract";
import type { UnnumberedEvent } from "../records/records.ts";
import type { Published, Store } from "./store.ts";

/**
 * A run's events from a number on: what is stored, then what comes, until the run has ended.
 * No gap, no duplicate. A reader that is slower than the run is fed from the store; what is kept
 * for it is bounded. Another owner's run, or none, has no events.
 *
 * @example
 * for await (const event of followEvents({ store, owner, runId, after: 12, signal })) send(event);
 */
export async function* followEvents(options: {
  readonly store: Pick<Store, "subscribe" | "readEventPage">;
  readonly owner: string;
  readonly runId: string;
  /** The last number that the reader has. @default 0 */
  readonly after?: number;
  /** Ends the stream quietly. */
  readonly signal?: AbortSignal;
  /** Events kept for a slow reader before it is fed from the store, and a page's size there. @default 256 */
  readonly limit?: number;
  /** Text of a page in UTF-16 units: what a reader that stands still keeps in memory. @default 65,536 */
  readonly size?: number;
}): AsyncGenerator<RunEvent, void, undefined> {
  const { store, owner, runId, signal, limit = 256, size = 65_536 } = options;
  // Subscribed before the first read: what is committed in between is in one or the other.
  const inbox = new Inbox(limit);
  const unsubscribe = store.subscribe(runId, (published) => inbox.take(published));
  const stop = () => inbox.wake();
  signal?.addEventListener("abort", stop);
  const stopped = () => signal?.aborted === true;
  let last = options.after ?? 0;
  try {
    while (!stopped()) {
      inbox.restart();
      for (;;) {
        const page = await store.readEventPage({ owner, runId, after: last, limit, size });
        if (page === undefined) return;
        for (const event of page.events) {
          if (stopped()) return;
          last = event.seq;
          yield event;
        }
        if (page.full) continue;
        if (page.ended) return;
        break;
      }
      while (!stopped() && !inbox.overflowed) {
        const event = inbox.next();
        if (event === undefined) {
          if (inbox.closed) return;
          await inbox.news();
        } else if (event.seq > last) {
          // What was published is a hint: where a number is missing, the store has it.
          if (event.seq > last + 1) break;
          last = event.seq;
          yield event;
        }
      }
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    unsubscribe();
  }
}

/** What came while the reader was busy, up to a limit. */
class Inbox {
  overflowed = false;
  closed = false;
  #events: RunEvent[] = [];
  #wake: (() => void) | undefined;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  take({ events, seqBefore = 0, closed, byOtherNode = false }: Published): void {
    // Where another node wrote, or too much came, the store is asked.
    if (closed) this.closed = true;
    if (!this.overflowed) this.#events.push(...numberedEvents(events, seqBefore));
    if (this.#events.length > this.#limit || byOtherNode) {
      this.overflowed = true;
      this.#events = [];
    }
    this.wake();
  }

  next(): RunEvent | undefined {
    return this.#events.shift();
  }

  /** From here on everything is taken again; what came before is in the store. */
  restart(): void {
    this.overflowed = false;
    this.#events = [];
  }

  news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  wake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}

/**
 * A run's events with their numbers, in order.
 *
 * @param seqBefore the number of the event before them
 * @example
 * numberedEvents([{ type: "run.heartbeat", at: 5 }], 7); // [{ type: "run.heartbeat", at: 5, seq: 8 }]
 */
export function numberedEvents(
  events: readonly UnnumberedEvent[],
  seqBefore: number,
): readonly RunEvent[] {
  return events.map((event, index) => ({ ...event, seq: seqBefore + index + 1 }));
}
