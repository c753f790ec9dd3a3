import type { UnnumberedEvent } from "../records/records.ts";
import type { RunEvent } from "@capstan/contract";
import { countCuts, decodeCuts } from "./cut-points.ts";

/** The type of a row of several events. */
export const severalEvents = "events";

/** A row of several events of one commit, under the last one's number. */
export interface EventsRow {
  readonly seq: number;
  /** How they are numbered; null: one after the other. */
  readonly cuts: string | null;
  /** The events as a JSON array, without the deltas of items that end in it. */
  readonly events: string;
}

/**
 * The numbers of a row that are not those of its events, counted from its first: `3@1:4,3;9:2|7@20:1#5+3`
 * says that the event at place 3 ends an item that was cut as `1:4,3;9:2`, the one at place 7 another,
 * and that three numbers from 5 on are somewhere else.
 */
export interface EventLayout {
  readonly items: readonly { readonly place: number; readonly cuts: string }[];
  readonly elsewhere: readonly { readonly from: number; readonly count: number }[];
}

export function writeLayout({ items, elsewhere }: EventLayout): string | null {
  if (items.length === 0 && elsewhere.length === 0) return null;
  const cut = items.map(({ place, cuts }) => `${place}@${cuts}`).join("|");
  const gaps = elsewhere.map(({ from, count }) => `${from}+${count}`).join(" ");
  return gaps === "" ? cut : `${cut}#${gaps}`;
}

export function readLayout(text: string): EventLayout {
  const [cut = "", gaps = ""] = text.split("#");
  return {
    items: parts(cut, "|").map((part) => {
      const at = part.indexOf("@");
      return { place: Number(part.slice(0, at)), cuts: part.slice(at + 1) };
    }),
    elsewhere: parts(gaps, " ").map((gap) => {
      const [from = 0, count = 0] = gap.split("+").map(Number);
      return { from, count };
    }),
  };
}

/** The events of a row, with the deltas that it stands for; in no order. */
export function eventsIn({ seq, cuts, events: text }: EventsRow): RunEvent[] {
  const events = JSON.parse(text) as readonly UnnumberedEvent[];
  if (cuts === null) {
    const first = seq - events.length + 1;
    return events.map((event, place) => ({ ...event, seq: first + place }));
  }
  const { items, elsewhere } = readLayout(cuts);
  const deltas = items.flatMap(({ place, cuts: ofItem }) => {
    const end = events[place];
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

/** How many deltas a row stands for. */
export function countDeltas(layout: string): number {
  return readLayout(layout).items.reduce((sum, { cuts }) => sum + countCuts(cuts), 0);
}

function parts(text: string, separator: string): readonly string[] {
  return text === "" ? [] : text.split(separator);
}

/** Deltas whose item got no end, or another text at its end. Stored under the last one's number. */
export const detachedDeltas = "item.deltas";
