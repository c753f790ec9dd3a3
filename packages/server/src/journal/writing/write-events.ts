import type { EncodedEvents, EncodedRow, LooseEvent } from "../encoding/encode-events.ts";
import { addDelta, type CutText } from "../cut-points.ts";
import { severalEvents } from "../event-layout.ts";
import type { Script } from "../script.ts";
import { appendDelta, readDeltas, removeDeltas } from "./tail-rows.ts";
import type { OpenItem, RunState } from "./run-states.ts";
import type { Writing } from "./writing.ts";

/** Deltas whose item got no end, or another text at its end. Stored under the last one's number. */
export const detachedDeltas = "item.deltas";

/** Up to here an item's deltas are kept in memory, and need not be read back as it ends. */
const mostKept = 65_536;

/** Stores a commit's events under the numbers that follow the run's last one. */
export function* writeEvents(
  writing: Writing,
  run: RunState,
  { count, deltas, rows, loose }: EncodedEvents,
): Script<RunState> {
  const before = { seq: run.lastSeq, tail: writing.nextTail };
  // The numbers of deltas that are not in the tail are left out, so that whoever counts them need not know.
  writing.nextTail += deltas;
  for (const row of rows) insertSeveral(writing, run, before.seq, row);
  let next = run;
  for (const event of loose) {
    next = { ...next, lastSeq: before.seq + event.at };
    next =
      event.type === "end"
        ? yield* writeEnd(writing, next, event)
        : writeDelta(writing, next, { ...event, n: before.tail + event.nth });
  }
  return { ...next, lastSeq: before.seq + count };
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
  { n, itemId, delta }: { readonly n: number; readonly itemId: string; readonly delta: string },
): RunState {
  const previous = run.open.find((item) => item.itemId === itemId);
  appendDelta(writing, run, { n, itemId, delta, previous: previous?.head });
  const item = { itemId, head: n, kept: keep(previous, { seq: run.lastSeq, delta }) };
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
  { itemId, data }: Extract<LooseEvent, { type: "end" }>,
): Script<RunState> {
  const item = run.open.find((open) => open.itemId === itemId);
  const deltas = item && (yield* takeDeltas(writing, run, item));
  const { text } = JSON.parse(data) as { readonly text: string };
  const whole = deltas?.text === text ? deltas : undefined;
  if (deltas !== undefined && whole === undefined) insertDetached(writing, run, itemId, deltas);
  insertItem(writing, run, { seq: run.lastSeq, type: "item.end", data, deltas: whole });
  return { ...run, open: run.open.filter((open) => open !== item) };
}

function* takeDeltas(writing: Writing, run: RunState, item: OpenItem): Script<CutText | undefined> {
  const deltas = item.kept ?? (yield* readDeltas(writing, run, item));
  removeDeltas(writing, run, item);
  return deltas;
}

function insertDetached(writing: Writing, run: RunState, itemId: string, deltas: CutText): void {
  const data = JSON.stringify({ itemId, text: deltas.text });
  insertItem(writing, run, { seq: deltas.last, type: detachedDeltas, data, deltas });
}

/** A row of one item, found by the number of its first delta, too. */
function insertItem(
  { changes }: Writing,
  { n, owner }: RunState,
  row: { seq: number; type: string; data: string; deltas: CutText | undefined },
): void {
  const { seq, type, data, deltas } = row;
  const from_seq = deltas?.from ?? null;
  const cuts = deltas?.cuts ?? null;
  changes.insert("run_events", { run_n: n, seq, owner, type, from_seq, cuts, data });
}

function insertSeveral(
  { changes }: Writing,
  { n, owner }: RunState,
  seqBefore: number,
  { last, cuts, data }: EncodedRow,
): void {
  const seq = seqBefore + last;
  const row = { run_n: n, seq, owner, type: severalEvents, from_seq: null, cuts, data };
  changes.insert("run_events", row);
}
