import type { LooseEvent } from "../../encode/event-rows.ts";
import type { RunCommit } from "../../encode/run-commit.ts";
import { type CutText, severalEvents, detachedDeltas } from "../../encode/event-layout.ts";
import type { Script } from "../../sql/script.ts";
import { appendDelta, readDeltas, removeDeltas } from "./tail-rows.ts";
import type { OpenItem, RunState } from "../state/run-states.ts";
import type { RowOf } from "../../sql/tables.ts";
import type { WriteContext } from "../state/write-context.ts";

/**
 * Stores a commit's events under the numbers that follow the run's last one. The last row also
 * contains the commit's other data. A commit without events has a separate row.
 */
export function* writeRows(
  context: WriteContext,
  run: RunState,
  commit: RunCommit,
  at: number,
): Script<RunState> {
  const { count, deltas, rows, loose } = commit.events;
  const contents = { messages: commit.messages ?? null, calls: commit.calls ?? null };
  const before = { seq: run.lastSeq, tail: context.nextTail };
  // Every delta has a number in the tail: deltas that are stored elsewhere leave gaps.
  context.nextTail += deltas;
  for (const [index, { last, cuts, events }] of rows.entries()) {
    const seq = before.seq + last;
    const row = { seq, at, type: severalEvents, cuts, events };
    insertRow(context, run, index === rows.length - 1 ? { ...row, ...contents } : row);
  }
  let next = run;
  for (const event of loose) {
    const seq = before.seq + event.at;
    next =
      event.type === "end"
        ? yield* writeEnd(context, { ...next, lastSeq: seq }, event, at)
        : appendDelta(context, next, { ...event, seq, n: before.tail + event.nth });
  }
  if (count > 0) next = { ...next, lastSeq: before.seq + count, nth: 0 };
  if (rows.length > 0 || (contents.messages ?? contents.calls) === null) return next;
  next = { ...next, nth: next.nth + 1 };
  insertRow(context, next, { seq: next.lastSeq, nth: next.nth, at, ...contents });
  return next;
}

/**
 * Moves the deltas of unfinished items out of the tail, because only a run in progress may have any
 * there.
 */
export function* foldOpenItems(context: WriteContext, run: RunState, at: number): Script<RunState> {
  for (const item of run.open) {
    const deltas = yield* takeDeltas(context, run, item);
    if (deltas !== undefined) insertDetached(context, run, { itemId: item.itemId, deltas, at });
  }
  return { ...run, open: [] };
}

function* writeEnd(
  context: WriteContext,
  run: RunState,
  { itemId, data: events }: Extract<LooseEvent, { type: "end" }>,
  at: number,
): Script<RunState> {
  const item = run.open.find((open) => open.itemId === itemId);
  const deltas = item && (yield* takeDeltas(context, run, item));
  const { text } = JSON.parse(events) as { readonly text: string };
  const whole = deltas?.text === text ? deltas : undefined;
  if (deltas !== undefined && whole === undefined)
    insertDetached(context, run, { itemId, deltas, at });
  const row = { seq: run.lastSeq, at, type: "item.end", events };
  insertRow(context, run, { ...row, ...(whole && foundByDeltas(whole)) });
  return { ...run, open: run.open.filter((open) => open !== item) };
}

function* takeDeltas(
  context: WriteContext,
  run: RunState,
  item: OpenItem,
): Script<CutText | undefined> {
  const deltas = item.cached ?? (yield* readDeltas(context, run, item));
  removeDeltas(context, run, item);
  return deltas;
}

function insertDetached(
  context: WriteContext,
  run: RunState,
  item: { readonly itemId: string; readonly deltas: CutText; readonly at: number },
): void {
  const { itemId, deltas, at } = item;
  const events = JSON.stringify({ itemId, text: deltas.text });
  const row = { seq: deltas.last, at, type: detachedDeltas, events };
  insertRow(context, run, { ...row, ...foundByDeltas(deltas) });
}

/** The row of a single item can also be found by the number of its first delta. */
function foundByDeltas({ from, cuts }: CutText) {
  return { from_seq: from, cuts };
}

const nothing = { nth: 0, type: null, from_seq: null, cuts: null };
const emptyTexts = { events: null, messages: null, calls: null };

function insertRow(
  { changes }: WriteContext,
  { n, owner }: RunState,
  row: Partial<RowOf<"run_journal">> & Pick<RowOf<"run_journal">, "seq" | "at">,
): void {
  changes.insert("run_journal", { ...nothing, ...emptyTexts, run_n: n, owner, ...row });
}
