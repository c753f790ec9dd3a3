import { detached } from "@capstan/core/base";
import type { RunEvent } from "@capstan/contract";
import type { EventPage } from "../records/records.ts";

/** A run of an owner. */
export interface OfRun {
  readonly owner: string;
  readonly runId: string;
}

export interface PageQuery extends OfRun {
  readonly after: number;
  readonly limit: number;
  /** In UTF-16 units of text. @default no limit */
  readonly size?: number;
}

/** Events of a run that follow each other, with those behind them still to be given. */
interface Held extends OfRun {
  /** The number before the first event. */
  readonly after: number;
  readonly events: readonly RunEvent[];
  /** What it takes, about, as text. */
  readonly size: number;
}

/** The text of all pages that are held, in UTF-16 units. */
const defaultRoom = 64_000_000;

/** What an event takes beside its text, in the same measure. */
const eventSize = 40;

/**
 * Returns pages of at most `size` UTF-16 units of text, and caches the rest of a longer page for the
 * next request. A page is longer if one of its rows, or the tail, is. All readers of a run share the
 * cache; the page that was used least recently is evicted first.
 */
export function cachePages(
  read: (query: PageQuery) => Promise<EventPage | undefined>,
  /** Whether there still is such a run. */
  isThere: (run: OfRun) => Promise<boolean>,
  room = defaultRoom,
): (query: PageQuery) => Promise<EventPage | undefined> {
  const kept = new Set<Held>();

  function hold(page: Held): void {
    if (page.size > room) return;
    kept.add(page);
    let total = kept.values().reduce((sum, { size }) => sum + size, 0);
    for (const oldest of kept) {
      if (total <= room) return;
      kept.delete(oldest);
      total -= oldest.size;
    }
  }

  function find({ owner, runId, after }: PageQuery): Held | undefined {
    const page = kept
      .values()
      .find((each) => each.runId === runId && each.owner === owner && covers(each, after));
    // The last one used stays the longest.
    if (page !== undefined && kept.delete(page)) kept.add(page);
    return page;
  }

  return async (query) => {
    const { limit, size = Infinity } = query;
    const known = find(query);
    if (known !== undefined) {
      if (!(await isThere(query))) {
        kept.delete(known);
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
    // Another who asked for the same meanwhile has it already: all keep that one.
    const held = find(query) ?? heldOf(query, page.events, room);
    hold(held);
    return restOf(held, query);
  };
}

/** As much of it as there is room for; the rest is read again. */
function heldOf({ owner, runId, after }: PageQuery, page: readonly RunEvent[], room: number): Held {
  const events: RunEvent[] = [];
  let size = 0;
  for (const event of page) {
    const more = eventSize + sizeOf(event);
    if (events.length > 0 && size + more > room) break;
    events.push(onItsOwn(event));
    size += more;
  }
  return { owner, runId, after, events, size };
}

/** Whether there are more, and whether the run has ended, is known by who reads on. */
function restOf({ events }: Held, { after, limit, size = Infinity }: PageQuery): EventPage {
  const from = events.findIndex(({ seq }) => seq > after);
  return { events: part(events.slice(from, from + limit), size), full: true, ended: false };
}

function covers(held: Held, after: number): boolean {
  return held.after <= after && after < (held.events.at(-1)?.seq ?? 0);
}

/** As many of the events as there is room for; one at least. */
function part(events: readonly RunEvent[], size: number): readonly RunEvent[] {
  let left = size;
  const end = events.findIndex((event, index) => (left -= sizeOf(event)) < 0 && index > 0);
  return end === -1 ? events : events.slice(0, end);
}

function sizeOfAll(events: readonly RunEvent[]): number {
  return events.reduce((sum, event) => sum + sizeOf(event), 0);
}

/** How much text an event is, about. */
function sizeOf(event: RunEvent): number {
  if (event.type === "item.delta") return event.delta.length;
  return event.type === "item.end" ? event.text.length : JSON.stringify(event).length;
}

/** A delta from a row is a view on its item's whole text, which who keeps it would keep. */
function onItsOwn(event: RunEvent): RunEvent {
  return event.type === "item.delta" ? { ...event, delta: detached(event.delta) } : event;
}
