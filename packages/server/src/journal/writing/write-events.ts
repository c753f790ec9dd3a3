import type { ChainEvent } from "@capstan/core";
import type { RunNotice } from "../../contract/run.ts";
import { addDelta, type CutText } from "../cut-points.ts";
import type { Script } from "../script.ts";
import { appendDelta, readDeltas, removeDeltas } from "./tail-rows.ts";
import type { OpenItem, RunState } from "./run-states.ts";
import type { Writing } from "./writing.ts";

/** Events of one commit, each with its number. Stored under the last one's. */
export const severalEvents = "events";

/** From here on, in characters, what comes after goes into another row. */
const largestRow = 32_768;

/** Events on their way into few rows: a row costs more than what is in it. */
export class GatheredEvents {
  #seqs: number[] = [];
  #events: string[] = [];
  #length = 0;

  /** Adds an event, and stores what was gathered where it is much. */
  add(writing: Writing, run: RunState, event: ChainEvent | RunNotice): void {
    const json = JSON.stringify(event);
    this.#seqs.push(run.lastSeq);
    this.#events.push(json);
    this.#length += json.length;
    if (this.#length > largestRow) this.store(writing, run);
  }

  store({ changes }: Writing, { n, owner }: RunState): void {
    const [from] = this.#seqs;
    const last = this.#seqs.at(-1);
    if (from === undefined || last === undefined) return;
    const data = `{"seqs":${JSON.stringify(this.#seqs)},"events":[${this.#events.join(",")}]}`;
    const row = {
      run_n: n,
      seq: last,
      owner,
      type: severalEvents,
      from_seq: from,
      cuts: null,
      data,
    };
    changes.insert("run_events", row);
    this.#seqs = [];
    this.#events = [];
    this.#length = 0;
  }
}

/** Deltas whose item got no end, or another text at its end. Stored under the last one's number. */
export const detachedDeltas = "item.deltas";

/** Up to here an item's deltas are kept in memory, and need not be read back as it ends. */
const mostKept = 65_536;

/**
 * Stores the next event of a run.
 *
 * @param gathered where it goes unless it has, or is, deltas
 * @param endsAlso whether the item that it belongs to ends in the same commit
 */
export function* writeEvent(
  writing: Writing,
  run: RunState,
  event: ChainEvent | RunNotice,
  { gathered, endsAlso }: { readonly gathered: GatheredEvents; readonly endsAlso: boolean },
): Script<RunState> {
  const next = { ...run, lastSeq: run.lastSeq + 1 };
  if (event.type === "item.delta") return writeDelta(writing, next, event, endsAlso);
  if (event.type === "item.end" && next.open.some(({ itemId }) => itemId === event.itemId))
    return yield* writeEnd(writing, next, event);
  gathered.add(writing, next, event);
  return next;
}

/** Takes the deltas of items without an end out of the tail: a run that is not in progress has none there. */
export function* foldOpenItems(writing: Writing, run: RunState): Script<RunState> {
  for (const item of run.open) {
    const deltas = yield* takeDeltas(writing, run, item);
    if (deltas !== undefined) insertDetached(writing, run, item.itemId, deltas);
  }
  return { ...run, open: [] };
}

function writeDelta(
  writing: Writing,
  run: RunState,
  { itemId, delta }: Extract<ChainEvent, { type: "item.delta" }>,
  endsAlso: boolean,
): RunState {
  const previous = run.open.find((item) => item.itemId === itemId);
  if (endsAlso && (previous === undefined || previous.passing === true)) {
    // The number is left out of the tail, so that whoever counts its rows need not know.
    const head = writing.nextTail++;
    const kept = addDelta(previous?.kept, { seq: run.lastSeq, delta });
    const passing = { itemId, head, kept, passing: true };
    return { ...run, open: [...run.open.filter((open) => open !== previous), passing] };
  }
  const head = appendDelta(writing, run, { itemId, delta, previous: previous?.head });
  const item = { itemId, head, kept: keep(previous, { seq: run.lastSeq, delta }) };
  return { ...run, open: [...run.open.filter((open) => open !== previous), item] };
}

function keep(
  previous: OpenItem | undefined,
  delta: { readonly seq: number; readonly delta: string },
): CutText | undefined {
  if (previous !== undefined && previous.kept === undefined) return undefined;
  const kept = addDelta(previous?.kept, delta);
  return kept.text.length > mostKept ? undefined : kept;
}

function* writeEnd(
  writing: Writing,
  run: RunState,
  event: Extract<ChainEvent, { type: "item.end" }>,
): Script<RunState> {
  const item = run.open.find((open) => open.itemId === event.itemId);
  const deltas = item && (yield* takeDeltas(writing, run, item));
  const whole = deltas?.text === event.text ? deltas : undefined;
  if (deltas !== undefined && whole === undefined)
    insertDetached(writing, run, event.itemId, deltas);
  insertEvent(writing, run, { seq: run.lastSeq, type: event.type, data: event, deltas: whole });
  return { ...run, open: run.open.filter((open) => open !== item) };
}

function* takeDeltas(writing: Writing, run: RunState, item: OpenItem): Script<CutText | undefined> {
  const deltas = item.kept ?? (yield* readDeltas(writing, run, item));
  if (item.passing !== true) removeDeltas(writing, run, item);
  return deltas;
}

function insertDetached(writing: Writing, run: RunState, itemId: string, deltas: CutText): void {
  const data = { itemId, text: deltas.text };
  insertEvent(writing, run, { seq: deltas.last, type: detachedDeltas, data, deltas });
}

function insertEvent(
  { changes }: Writing,
  run: RunState,
  row: { seq: number; type: string; data: unknown; deltas?: CutText | undefined },
): void {
  changes.insert("run_events", {
    run_n: run.n,
    seq: row.seq,
    owner: run.owner,
    type: row.type,
    from_seq: row.deltas?.from ?? null,
    cuts: row.deltas?.cuts ?? null,
    data: JSON.stringify(row.data),
  });
}
