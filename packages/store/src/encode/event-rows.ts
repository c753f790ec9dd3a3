import { addDelta, type CutText, type EventLayout } from "./event-layout.ts";
import type { ToJson } from "./long-parts.ts";
import type { UnnumberedEvent } from "../records/records.ts";

/** A commit's events as text. Their numbers count from the run's last event before the commit. */
export interface EncodedEvents {
  readonly count: number;
  /** The number of deltas. Each delta has a number in the tail, even if it is stored elsewhere. */
  readonly deltas: number;
  readonly rows: readonly EncodedRow[];
  /** Events of items that do not both begin and end in this commit. */
  readonly loose: readonly LooseEvent[];
}

/** Several events. */
export interface EncodedRow {
  /** The number of the last event. */
  readonly last: number;
  /** As a JSON array. */
  readonly events: string;
  readonly cuts: string | null;
}

/** An event for which the writer chooses the row. */
export type LooseEvent =
  | {
      readonly type: "delta";
      readonly at: number;
      /** The index among the deltas of the commit. */
      readonly nth: number;
      readonly itemId: string;
      readonly delta: string;
    }
  | {
      readonly type: "end";
      readonly at: number;
      readonly itemId: string;
      /** The event as JSON. */
      readonly data: string;
    };

/** No more events are added to a row that is longer than about this many characters. */
const maxRowLength = 32_768;

/**
 * Encodes a commit's events. An item that begins and ends in this commit is stored in the row of
 * the events around it. The writer decides where other items are stored.
 *
 * @param toJson returns the JSON of a value. @default JSON.stringify
 */
export function encodeEvents(
  events: readonly UnnumberedEvent[],
  toJson: ToJson = JSON.stringify,
): EncodedEvents {
  const texts = textsOf(events);
  const grouped = new GroupedEvents(toJson);
  const loose: LooseEvent[] = [];
  let deltas = 0;
  for (const [index, event] of events.entries()) {
    const at = index + 1;
    if (event.type === "item.delta") {
      const { itemId, delta } = event;
      if (texts.get(itemId) === true) grouped.addDelta(at, itemId, delta);
      else loose.push({ type: "delta", at, nth: deltas, itemId, delta });
      deltas += 1;
    } else if (event.type === "item.end" && texts.get(event.itemId) !== true) {
      const { itemId } = event;
      loose.push({ type: "end", at, itemId, data: toJson(event) });
    } else grouped.add(at, event);
  }
  return { count: events.length, deltas, rows: grouped.rows(), loose };
}

/**
 * Returns for each item whether it is complete, or its text so far if it has not ended. A complete
 * item begins and ends among these events, and its deltas make up the text of its end.
 */
function textsOf(events: readonly UnnumberedEvent[]): ReadonlyMap<string, string | boolean> {
  const texts = new Map<string, string | boolean>();
  for (const event of events) {
    if (event.type === "item.start") texts.set(event.itemId, texts.has(event.itemId) ? false : "");
    else if (event.type === "item.delta") {
      const before = texts.get(event.itemId);
      texts.set(event.itemId, typeof before === "string" ? before + event.delta : false);
    } else if (event.type === "item.end")
      texts.set(event.itemId, texts.get(event.itemId) === event.text);
  }
  return texts;
}

/** Collects events into few rows, because a row's overhead exceeds the cost of its contents. */
class GroupedEvents {
  readonly #toJson: ToJson;
  readonly #rows: EncodedRow[] = [];
  /** The number of the row's first event, and the number after its last one. */
  #first = 0;
  #next = 0;
  #events: UnnumberedEvent[] = [];
  #length = 0;
  #items: EventLayout["items"][number][] = [];
  #elsewhere: EventLayout["elsewhere"][number][] = [];
  /** The deltas of items that have not ended yet. */
  readonly #open = new Map<string, CutText>();

  constructor(toJson: ToJson) {
    this.#toJson = toJson;
  }

  add(at: number, event: UnnumberedEvent): void {
    this.#take(at);
    if (event.type === "item.end") {
      const cut = this.#open.get(event.itemId);
      if (cut !== undefined) this.#items.push({ index: this.#events.length, cuts: cut.cuts });
      this.#open.delete(event.itemId);
    }
    this.#events.push(event);
    this.#length += lengthOf(event);
    // A delta is in the row of its item's end.
    if (this.#length > maxRowLength && this.#open.size === 0) this.#close();
  }

  addDelta(at: number, itemId: string, delta: string): void {
    const seq = this.#take(at);
    this.#open.set(itemId, addDelta(this.#open.get(itemId), { seq, delta }));
  }

  rows(): readonly EncodedRow[] {
    this.#close();
    return this.#rows;
  }

  /**
   * Adds a number to the row and records the numbers skipped before it.
   *
   * @returns the number, counted from the first of the row
   */
  #take(at: number): number {
    const isFirst = this.#next === 0;
    if (isFirst) this.#first = at;
    else if (at > this.#next)
      this.#elsewhere.push({ from: this.#next - this.#first, count: at - this.#next });
    this.#next = at + 1;
    return at - this.#first;
  }

  #close(): void {
    if (this.#events.length === 0) return;
    this.#rows.push({
      last: this.#next - 1,
      events: this.#toJson(this.#events),
      cuts: writeLayout({ items: this.#items, elsewhere: this.#elsewhere }),
    });
    this.#next = 0;
    this.#events = [];
    this.#length = 0;
    this.#items = [];
    this.#elsewhere = [];
  }
}

/** Estimates the length of an event's JSON. */
function lengthOf(event: UnnumberedEvent): number {
  if (event.type === "item.end") return event.text.length;
  if (event.type === "call.settled") return event.result.finalText.length;
  return event.type === "call.proposed" ? event.argumentsText.length : 0;
}

/** Encodes a layout for the column `cuts`; null if its numbers are consecutive. */
export function writeLayout({ items, elsewhere }: EventLayout): string | null {
  if (items.length === 0 && elsewhere.length === 0) return null;
  const cut = items.map(({ index, cuts }) => `${index}@${cuts}`).join("|");
  const gaps = elsewhere.map(({ from, count }) => `${from}+${count}`).join(" ");
  return gaps === "" ? cut : `${cut}#${gaps}`;
}
