import type { ChainEvent } from "@capstan/core";
import type { RunEvent, RunNotice } from "../../contract/run.ts";
import { isClosing } from "../../run/run-status.ts";
import { type Delta, decodeCuts } from "../cut-points.ts";
import type { Position } from "../live-runs.ts";
import type { CompactEvents } from "../records.ts";
import type { Sql } from "../sql.ts";
import { readChain } from "../tail.ts";
import { detachedDeltas } from "../writing/write-events.ts";
import { findRunN } from "./read-runs.ts";

interface EventRow {
  readonly seq: number;
  readonly type: string;
  readonly cuts: string | null;
  readonly data: string;
}

interface Detached {
  readonly itemId: string;
  readonly text: string;
}

const selectEvents = "SELECT seq, type, cuts, data FROM run_events";

/**
 * The events of a range of numbers: as there is no gap, a page is a range. A delta is in the row
 * that closed its item, which may lie far behind the range, or else in the tail.
 */
export function readEvents(
  sql: Sql,
  query: { owner: string; runId: string; after: number; limit: number; position: Position },
): RunEvent[] | undefined {
  return sql.snapshot(() => {
    const run = findRunN(sql, query);
    if (run === undefined) return undefined;
    const { after, position } = query;
    const upTo = Math.min(
      after + query.limit,
      isClosing(run.status) ? Number.MAX_SAFE_INTEGER : position.lastSeq,
    );
    const rows = sql.all<EventRow>(
      `${selectEvents} WHERE run_n = ? AND seq > ? AND seq <= ?
       UNION ALL ${selectEvents} WHERE run_n = ? AND from_seq <= ? AND seq > ?`,
      run.n,
      after,
      upTo,
      run.n,
      upTo,
      upTo,
    );
    const events = rows.flatMap(expand);
    for (const { itemId, heads } of position.items) {
      const head = (heads.find((mark) => mark.seq >= upTo) ?? heads.at(-1))?.n;
      if (head === undefined) continue;
      const deltas = readChain(sql, { head, runN: run.n, itemId, after, upTo });
      events.push(...deltas.map((delta) => deltaEvent(itemId, delta)));
    }
    return events.filter(({ seq }) => seq > after && seq <= upTo).toSorted((a, b) => a.seq - b.seq);
  });
}

export function readEventsCompact(
  sql: Sql,
  query: { owner: string; runId: string; position: Position },
): CompactEvents | undefined {
  return sql.snapshot(() => {
    const run = findRunN(sql, query);
    if (run === undefined) return undefined;
    const { position } = query;
    const rows = sql.all<EventRow>(`${selectEvents} WHERE run_n = ? ORDER BY seq`, run.n);
    const lastSeq = isClosing(run.status) ? (rows.at(-1)?.seq ?? 0) : position.lastSeq;
    const events: RunEvent[] = [];
    const pieces: { itemId: string; delta: Delta }[] = [];
    const ended = new Set<string>();
    for (const row of rows) {
      if (row.seq <= lastSeq && row.type !== detachedDeltas) {
        const event = eventOf(row);
        events.push(event);
        if (event.type === "item.end") ended.add(event.itemId);
        continue;
      }
      // Of an item that ended after the moment of this reading: its deltas until then.
      for (const event of expand(row)) {
        if (event.type === "item.delta" && event.seq <= lastSeq)
          pieces.push({ itemId: event.itemId, delta: event });
      }
    }
    for (const { itemId, heads } of position.items) {
      const head = heads.at(-1)?.n;
      if (head === undefined) continue;
      const deltas = readChain(sql, { head, runN: run.n, itemId, after: 0, upTo: lastSeq });
      pieces.push(...deltas.map((delta) => ({ itemId, delta })));
    }
    const open = Map.groupBy(
      pieces.filter((piece) => !ended.has(piece.itemId)),
      (piece) => piece.itemId,
    );
    for (const [itemId, deltas] of open) {
      const inOrder = deltas.map((piece) => piece.delta).toSorted((a, b) => a.seq - b.seq);
      const delta = inOrder.map((each) => each.delta).join("");
      events.push(deltaEvent(itemId, { seq: inOrder.at(-1)?.seq ?? 0, delta }));
    }
    return { lastSeq, events: events.toSorted((a, b) => a.seq - b.seq) };
  });
}

/** A row as the events that it holds. */
function expand(row: EventRow): RunEvent[] {
  if (row.type === detachedDeltas) {
    const { itemId, text } = JSON.parse(row.data) as Detached;
    return decodeCuts(row.cuts ?? "", text).map((delta) => deltaEvent(itemId, delta));
  }
  const event = eventOf(row);
  if (row.cuts === null || event.type !== "item.end") return [event];
  return [
    ...decodeCuts(row.cuts, event.text).map((delta) => deltaEvent(event.itemId, delta)),
    event,
  ];
}

function eventOf(row: EventRow): RunEvent {
  return { seq: row.seq, ...(JSON.parse(row.data) as ChainEvent | RunNotice) };
}

function deltaEvent(itemId: string, { seq, delta }: Delta): RunEvent {
  return { seq, type: "item.delta", itemId, delta };
}
