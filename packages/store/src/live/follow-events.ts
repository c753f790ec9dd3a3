import type { RunEvent } from "@capstan/contract";
import type { UnnumberedEvent } from "../records/records.ts";
import type { Published, Store } from "./store.ts";

/**
 * Yields a run's events after a number: first those in the store, then new ones until the run has
 * ended, without gaps or duplicates. A reader that is slower than the run reads from the store, so
 * its buffer is bounded. A missing run and another owner's run have no events.
 *
 * @example
 * for await (const event of followEvents({ store, owner, runId, after: 12, signal })) send(event);
 */
export async function* followEvents(options: {
  readonly store: Pick<Store, "subscribe" | "readEventPage">;
  readonly owner: string;
  readonly runId: string;
  /** The number of the last event that the reader has. @default 0 */
  readonly after?: number;
  /** Ends the stream without an error. */
  readonly signal?: AbortSignal;
  /**
   * The number of events that are buffered for a slow reader before it reads from the store, and
   * the size of a page from the store.
   * @default 256
   */
  readonly limit?: number;
  /**
   * The text of a page in UTF-16 units, which bounds the memory of a reader that does not read.
   * @default 65,536
   */
  readonly size?: number;
}): AsyncGenerator<RunEvent, void, undefined> {
  const { store, owner, runId, signal, limit = 256, size = 65_536 } = options;
  // Subscribed before the first read, so that an event committed in between is in the inbox or the
  // store.
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
          await inbox.nextNotification();
        } else if (event.seq > last) {
          // Published events are hints: if a number is missing, the store has it.
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

/** Events that were published while the reader was busy, up to a limit. */
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
    // If another node wrote or the inbox overflows, the reader reads the store.
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

  /** Accepts all events from now on; earlier ones are in the store. */
  restart(): void {
    this.overflowed = false;
    this.#events = [];
  }

  nextNotification(): Promise<void> {
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
 * Yields a run's events with their numbers, in order.
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
