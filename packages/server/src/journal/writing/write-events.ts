import type { ChainEvent } from "@capstan/core";
import type { RunNotice } from "../../contract/run.ts";
import { type Delta, encodeCuts } from "../cut-points.ts";
import { deleteChain, readChain } from "../tail.ts";
import type { OpenItem, RunState } from "./run-states.ts";
import type { Writing } from "./writing.ts";

/** Deltas whose item got no end, or another text at its end. Stored under the last one's number. */
export const detachedDeltas = "item.deltas";

/** Stores the next event of a run. */
export function writeEvent(
  writing: Writing,
  run: RunState,
  event: ChainEvent | RunNotice,
): RunState {
  const next = { ...run, lastSeq: run.lastSeq + 1 };
  if (event.type === "item.delta") return writeDelta(writing, next, event);
  if (event.type === "item.end") return writeEnd(writing, next, event);
  insertEvent(writing, next, { seq: next.lastSeq, type: event.type, data: event });
  return next;
}

/** Takes the deltas of items without an end out of the tail: a run that is not in progress has none there. */
export function foldOpenItems(writing: Writing, run: RunState): RunState {
  for (const item of run.open) {
    const deltas = takeDeltas(writing, run, item);
    if (deltas !== undefined) insertDetached(writing, run, item.itemId, deltas);
  }
  return { ...run, open: [] };
}

function writeDelta(
  writing: Writing,
  run: RunState,
  event: Extract<ChainEvent, { type: "item.delta" }>,
): RunState {
  const n = writing.nextTail++;
  const previous = run.open.find((item) => item.itemId === event.itemId);
  writing.sql.run(
    "INSERT INTO tail (n, run_n, seq, owner, item_id, prev, delta) VALUES (?, ?, ?, ?, ?, ?, ?)",
    n,
    run.n,
    run.lastSeq,
    run.owner,
    event.itemId,
    previous?.head ?? null,
    JSON.stringify(event.delta),
  );
  return {
    ...run,
    open: [...run.open.filter((item) => item !== previous), { itemId: event.itemId, head: n }],
  };
}

function writeEnd(
  writing: Writing,
  run: RunState,
  event: Extract<ChainEvent, { type: "item.end" }>,
): RunState {
  const item = run.open.find((open) => open.itemId === event.itemId);
  const deltas = item === undefined ? undefined : takeDeltas(writing, run, item);
  const whole = deltas !== undefined && joined(deltas) === event.text;
  if (deltas !== undefined && !whole) insertDetached(writing, run, event.itemId, deltas);
  insertEvent(writing, run, {
    seq: run.lastSeq,
    type: event.type,
    data: event,
    ...(whole ? { deltas } : {}),
  });
  return { ...run, open: run.open.filter((open) => open !== item) };
}

function takeDeltas(writing: Writing, run: RunState, item: OpenItem): readonly Delta[] | undefined {
  const query = { head: item.head, runN: run.n, itemId: item.itemId, after: 0, upTo: run.lastSeq };
  const deltas = readChain(writing.sql, query);
  deleteChain(writing.sql, item.head);
  return deltas.length === 0 ? undefined : deltas;
}

function insertDetached(
  writing: Writing,
  run: RunState,
  itemId: string,
  deltas: readonly Delta[],
): void {
  const seq = deltas.at(-1)?.seq ?? run.lastSeq;
  insertEvent(writing, run, {
    seq,
    type: detachedDeltas,
    data: { itemId, text: joined(deltas) },
    deltas,
  });
}

function insertEvent(
  writing: Writing,
  run: RunState,
  row: { seq: number; type: string; data: unknown; deltas?: readonly Delta[] },
): void {
  writing.sql.run(
    "INSERT INTO run_events (run_n, seq, owner, type, from_seq, cuts, data) VALUES (?, ?, ?, ?, ?, ?, ?)",
    run.n,
    row.seq,
    run.owner,
    row.type,
    row.deltas?.[0]?.seq ?? null,
    row.deltas === undefined ? null : encodeCuts(row.deltas),
    JSON.stringify(row.data),
  );
}

function joined(deltas: readonly Delta[]): string {
  return deltas.map((each) => each.delta).join("");
}
