import { newId } from "@capstan/core/host";
import type { UserChangeEvent, UserEvent } from "@capstan/contract";
import type { Store, UserChanges } from "@capstan/store";

type Listener = (event: UserEvent) => void;

/** The recent events of one user, stored while clients follow them and for some time afterwards. */
interface Feed {
  /**
   * Random, so that cursors reveal nothing about other users and are valid only in this process.
   */
  readonly id: string;
  last: number;
  /** The newest events, oldest first. */
  recent: UserEvent[];
  readonly listeners: Set<Listener>;
}

/** The maximum number of recent events per user. A client that has missed more must resync. */
const maxRecent = 128;

/** The maximum number of users without a connection whose events are stored. */
const maxLeft = 200;

/**
 * The changes of each user's data, for the clients that follow them. Stores no events of users who
 * never connected.
 */
export class UserFeed {
  readonly #followed = new Map<string, Feed>();
  /** The feeds without clients; a client that reconnects continues its user's feed. */
  readonly #left = new Map<string, Feed>();

  readonly #readers: (owner: string) => readonly string[];

  /**
   * @param readers returns the feeds in which the changes of an owner appear. @default the owner's
   */
  constructor(
    stores: readonly Pick<Store, "onUserChanges">[],
    readers: (owner: string) => readonly string[] = (owner) => [owner],
  ) {
    this.#readers = readers;
    for (const store of stores) store.onUserChanges((changes) => this.#receive(changes));
  }

  /**
   * Yields a user's changes until the signal aborts. If the changes after `cursor` are no longer
   * stored, or if no cursor is given, the first event is `resync`. A reader that is too slow gets
   * `resync` instead of the events that it missed, so its buffer is bounded.
   *
   * @param options.limit the number of events that are buffered @default 128
   */
  async *follow(options: {
    readonly owner: string;
    readonly cursor: string | undefined;
    readonly signal: AbortSignal;
    readonly limit?: number;
  }): AsyncGenerator<UserEvent> {
    const { owner, cursor, signal, limit = maxRecent } = options;
    const feed = this.#enter(owner);
    let buffer: UserEvent[] = [...(eventsAfter(feed, cursor) ?? [resyncOf(feed)])];
    let wake = () => {};
    const listener: Listener = (event) => {
      if (event.type === "resync" || buffer.length >= limit) buffer = [resyncOf(feed)];
      else buffer.push(event);
      wake();
    };
    const stop = () => wake();
    feed.listeners.add(listener);
    signal.addEventListener("abort", stop, { once: true });
    try {
      while (!signal.aborted) {
        const event = buffer.shift();
        if (event !== undefined) yield event;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      signal.removeEventListener("abort", stop);
      feed.listeners.delete(listener);
      if (feed.listeners.size === 0) this.#leave(owner, feed);
    }
  }

  /** The number of users whose events are stored. */
  get size(): number {
    return this.#followed.size + this.#left.size;
  }

  #enter(owner: string): Feed {
    const known = this.#followed.get(owner) ?? this.#left.get(owner);
    const feed = known ?? { id: newId("feed_"), last: 0, recent: [], listeners: new Set() };
    this.#left.delete(owner);
    this.#followed.set(owner, feed);
    return feed;
  }

  #leave(owner: string, feed: Feed): void {
    this.#followed.delete(owner);
    this.#left.set(owner, feed);
    if (this.#left.size <= maxLeft) return;
    for (const oldest of this.#left.keys()) return void this.#left.delete(oldest);
  }

  #receive(changes: UserChanges): void {
    if (changes === "missed") return this.#resync();
    for (const { owner, event } of changes)
      for (const reader of this.#readers(owner)) {
        const feed = this.#followed.get(reader) ?? this.#left.get(reader);
        if (feed !== undefined) publish(feed, event);
      }
  }

  /** Changes of other nodes may have been lost, so earlier cursors become invalid. */
  #resync(): void {
    this.#left.clear();
    for (const feed of this.#followed.values()) publish(feed, { type: "resync" });
  }
}

function publish(feed: Feed, change: UserChangeEvent | { readonly type: "resync" }): void {
  feed.last += 1;
  const event: UserEvent = { ...change, cursor: cursorOf(feed) };
  // A client that reconnects with an earlier cursor must resync, too, so earlier events are
  // dropped.
  if (event.type === "resync") feed.recent = [];
  feed.recent.push(event);
  if (feed.recent.length > maxRecent) feed.recent.shift();
  for (const listener of feed.listeners) listener(event);
}

function cursorOf({ id, last }: Feed): string {
  return `${id}.${last}`;
}

function resyncOf(feed: Feed): UserEvent {
  return { type: "resync", cursor: cursorOf(feed) };
}

/** Returns the events after a cursor, or `undefined` if they are no longer stored. */
function eventsAfter(feed: Feed, cursor: string | undefined): readonly UserEvent[] | undefined {
  if (cursor === undefined || !cursor.startsWith(`${feed.id}.`)) return undefined;
  const after = Number(cursor.slice(feed.id.length + 1));
  const missing = feed.last - after;
  if (!Number.isSafeInteger(after) || missing < 0 || missing > feed.recent.length) return undefined;
  return missing === 0 ? [] : feed.recent.slice(-missing);
}
