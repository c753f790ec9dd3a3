import { detached } from "@capstan/core/base";
import type { RunEvent } from "@capstan/contract";
import type { EventPage } from "../records/records.ts";

/** A run of an owner. */
export interface OfRun {
  readonly owner: string;
  readonly runId: string;
}

/** A page of events to read. */
export interface PageQuery extends OfRun {
  readonly after: number;
  readonly limit: number;
  /** The limit in UTF-16 units of text. @default no limit */
  readonly size?: number;
}

/** A cached page: consecutive events of a run, of which some have not been returned yet. */
interface CachedPage extends OfRun {
  /** The number before the first event. */
  readonly after: number;
  readonly events: readonly RunEvent[];
  /** The approximate size as text. */
  readonly size: number;
}

/** The text of all cached pages, in UTF-16 units. */
const defaultCapacity = 24_000_000;

/** The overhead of an event, in UTF-16 units. */
const eventSize = 40;

/**
 * Returns pages of at most `size` UTF-16 units of text, and caches the rest of a longer page for
 * the next request. A page is longer if one of its rows or the tail is longer. All readers of a run
 * share the cache, and the least recently used page is evicted first.
 */
export function cachePages<Query extends PageQuery>(
  read: (query: Query) => Promise<EventPage | undefined>,
  /** Returns whether the run still exists. */
  exists: (run: OfRun) => Promise<boolean>,
  capacity = defaultCapacity,
): (query: Query) => Promise<EventPage | undefined> {
  const pages = new Set<CachedPage>();

  function hold(page: CachedPage): void {
    if (page.size > capacity) return;
    pages.add(page);
    let total = pages.values().reduce((sum, { size }) => sum + size, 0);
    for (const oldest of pages) {
      if (total <= capacity) return;
      pages.delete(oldest);
      total -= oldest.size;
    }
  }

  function find({ owner, runId, after }: PageQuery): CachedPage | undefined {
    const page = pages
      .values()
      .find((each) => each.runId === runId && each.owner === owner && covers(each, after));
    // Moves it to the end, so that it is evicted last.
    if (page !== undefined && pages.delete(page)) pages.add(page);
    return page;
  }

  return async (query) => {
    const { limit, size = Infinity } = query;
    const known = find(query);
    if (known !== undefined) {
      if (!(await exists(query))) {
        pages.delete(known);
        return undefined;
      }
      return restOf(known, query);
    }
    const page = await read(query);
    if (page === undefined) return undefined;
    const given = part(page.events.slice(0, limit), size);
    const whole = sizeOfAll(page.events);
    if (given.length === page.events.length && whole <= size)
      return { ...page, events: given.map(onItsOwn) };
    // If another reader has cached the same page meanwhile, both share it.
    const cached = find(query) ?? cachedPageOf(query, page.events, capacity);
    hold(cached);
    return restOf(cached, query);
  };
}

/** Returns the part of a page that fits into the cache; the rest is read again. */
function cachedPageOf(
  { owner, runId, after }: PageQuery,
  page: readonly RunEvent[],
  capacity: number,
): CachedPage {
  const events: RunEvent[] = [];
  let size = 0;
  for (const event of page) {
    const more = eventSize + sizeOf(event);
    if (events.length > 0 && size + more > capacity) break;
    events.push(onItsOwn(event));
    size += more;
  }
  return { owner, runId, after, events, size };
}

/**
 * Returns the next page from a cached one. It does not say whether the run has ended or has more
 * events: the next read does.
 */
function restOf({ events }: CachedPage, { after, limit, size = Infinity }: PageQuery): EventPage {
  const from = events.findIndex(({ seq }) => seq > after);
  return { events: part(events.slice(from, from + limit), size), full: true, ended: false };
}

function covers(cached: CachedPage, after: number): boolean {
  return cached.after <= after && after < (cached.events.at(-1)?.seq ?? 0);
}

/** Returns as many events as fit, at least one. */
function part(events: readonly RunEvent[], size: number): readonly RunEvent[] {
  let left = size;
  const end = events.findIndex((event, index) => (left -= sizeOf(event)) < 0 && index > 0);
  return end === -1 ? events : events.slice(0, end);
}

function sizeOfAll(events: readonly RunEvent[]): number {
  return events.reduce((sum, event) => sum + sizeOf(event), 0);
}

/** Estimates the text size of an event. */
function sizeOf(event: RunEvent): number {
  if (event.type === "item.delta") return event.delta.length;
  return event.type === "item.end" ? event.text.length : JSON.stringify(event).length;
}

/**
 * Copies a delta, because a delta from a row is a substring that keeps its item's whole text in
 * memory.
 */
function onItsOwn(event: RunEvent): RunEvent {
  return event.type === "item.delta" ? { ...event, delta: detached(event.delta) } : event;
}
