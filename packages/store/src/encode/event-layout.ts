import type { UnnumberedEvent } from "../records/records.ts";
import type { RunEvent } from "@capstan/contract";

/** The type of a row of several events. */
export const severalEvents = "events";

/** A row of several events of one commit, under the number of the last event. */
export interface EventsRow {
  readonly seq: number;
  /** How the events are numbered; null if they are consecutive. */
  readonly cuts: string | null;
  /** The events as a JSON array, without the deltas of items that end in it. */
  readonly events: string;
}

/**
 * Numbers in a row that differ from those of its events, counted from the row's first.
 * `3@1:4,3;9:2|7@20:1#5+3` says: the event at index 3 ends an item that was cut as `1:4,3;9:2`, the
 * event at index 7 ends another one, and three numbers from 5 on are stored elsewhere.
 */
export interface EventLayout {
  readonly items: readonly { readonly index: number; readonly cuts: string }[];
  readonly elsewhere: readonly { readonly from: number; readonly count: number }[];
}

/** Parses a layout from the column `cuts`. */
export function readLayout(text: string): EventLayout {
  const [cut = "", gaps = ""] = text.split("#");
  return {
    items: parts(cut, "|").map((part) => {
      const at = part.indexOf("@");
      return { index: Number(part.slice(0, at)), cuts: part.slice(at + 1) };
    }),
    elsewhere: parts(gaps, " ").map((gap) => {
      const [from = 0, count = 0] = gap.split("+").map(Number);
      return { from, count };
    }),
  };
}

/** Returns the events of a row and the deltas that its layout describes, in no particular order. */
export function eventsIn({ seq, cuts, events: text }: EventsRow): RunEvent[] {
  const events = JSON.parse(text) as readonly UnnumberedEvent[];
  if (cuts === null) {
    const first = seq - events.length + 1;
    return events.map((event, index) => ({ ...event, seq: first + index }));
  }
  const { items, elsewhere } = readLayout(cuts);
  const deltas = items.flatMap(({ index, cuts: ofItem }) => {
    const end = events[index];
    if (end?.type !== "item.end") return [];
    const { itemId } = end;
    return decodeCuts(ofItem, end.text).map((cut) => ({ ...cut, itemId }));
  });
  const taken = new Set(deltas.map((cut) => cut.seq));
  for (const { from, count } of elsewhere)
    for (let offset = from; offset < from + count; offset++) taken.add(offset);
  const first = seq - events.length - taken.size + 1;
  let offset = -1;
  const numbered = events.map((event) => {
    do offset += 1;
    while (taken.has(offset));
    return { ...event, seq: first + offset };
  });
  for (const { seq: at, itemId, delta } of deltas)
    numbered.push({ seq: first + at, type: "item.delta", itemId, delta });
  return numbered;
}

/** Returns the number of deltas that a layout describes. */
export function countDeltas(layout: string): number {
  return readLayout(layout).items.reduce((sum, { cuts }) => sum + countCuts(cuts), 0);
}

function parts(text: string, separator: string): readonly string[] {
  return text === "" ? [] : text.split(separator);
}

/**
 * The event type for deltas whose item has no end or ends with a different text. They are stored
 * under the last delta's number.
 */
export const detachedDeltas = "item.deltas";

/** One delta of an item: its event's number and its text. */
export interface Delta {
  readonly seq: number;
  readonly delta: string;
}

/**
 * Deltas that are stored as one text. `cuts` says where it was cut: `12:4,3,5;20:7` is three deltas
 * of 4, 3 and 5 UTF-16 units, numbered from 12, and one of 7 units with the number 20. Older
 * databases can have `12x3;20x1`: the same numbers without lengths, and the text is cut evenly.
 */
export interface CutText {
  readonly text: string;
  readonly cuts: string;
  /** The numbers of the first and the last delta. */
  readonly from: number;
  readonly last: number;
}

/** Appends a delta to a text of deltas. */
export function addDelta(before: CutText | undefined, { seq, delta }: Delta): CutText {
  if (before === undefined)
    return { text: delta, cuts: `${seq}:${delta.length}`, from: seq, last: seq };
  const cut = seq === before.last + 1 ? `,${delta.length}` : `;${seq}:${delta.length}`;
  return { ...before, text: before.text + delta, cuts: before.cuts + cut, last: seq };
}

/** Returns the deltas of a whole text by its cuts. */
export function decodeCuts(cuts: string, text: string): Delta[] {
  if (cuts === "") return [];
  if (cuts.includes("x")) return decodeEven(cuts, text);
  const deltas: Delta[] = [];
  let start = 0;
  for (const stretch of cuts.split(";")) {
    const colon = stretch.indexOf(":");
    let seq = Number(stretch.slice(0, colon));
    for (const length of stretch.slice(colon + 1).split(",")) {
      const end = start + Number(length);
      deltas.push({ seq, delta: text.slice(start, end) });
      start = end;
      seq += 1;
    }
  }
  return deltas;
}

/** Returns the number of deltas. */
export function countCuts(cuts: string): number {
  return cuts.includes("x") ? numbersOf(cuts).length : cuts.split(/[,;]/).length;
}

function decodeEven(cuts: string, text: string): Delta[] {
  const numbers = numbersOf(cuts);
  let start = 0;
  return numbers.map((seq, index) => {
    const end = cutAt(text, Math.floor(((index + 1) * text.length) / numbers.length));
    const delta = text.slice(start, end);
    start = end;
    return { seq, delta };
  });
}

/** Returns a position that does not split a surrogate pair: the given one or the next. */
function cutAt(text: string, at: number): number {
  const within =
    /[\uDC00-\uDFFF]/.test(text[at] ?? "") && /[\uD800-\uDBFF]/.test(text[at - 1] ?? "");
  return within ? at + 1 : at;
}

function numbersOf(cuts: string): number[] {
  return cuts.split(";").flatMap((stretch) => {
    const [from, count] = stretch.split("x").map(Number);
    return Array.from({ length: count ?? 0 }, (_, index) => (from ?? 0) + index);
  });
}
