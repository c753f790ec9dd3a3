import type { Delta } from "../encode/event-layout.ts";
import type { PublishedPosition } from "../records/read-results.ts";
import { type CheckedRow, isIntact, orCorrupt, requireIntact } from "../schema/row-checksums.ts";
import { sqlite } from "../sql/dialect.ts";
import { all, type Script } from "../sql/script.ts";
import { statement } from "../sql/statement.ts";

/** A delta of an unfinished item. */
export interface TailDelta extends Delta {
  readonly itemId: string;
}

/**
 * Reads the deltas with `after < seq <= upTo` of unfinished items.
 *
 * SQLite's tail has no index, because an index over many runs makes commits ten times slower.
 * Instead each row names the previous row of its item, and `items` has the rows from which to walk
 * back. Without `items` the tail is read by run, for PostgreSQL.
 */
export function* readTail(query: {
  readonly runN: number;
  readonly after: number;
  readonly upTo: number;
  readonly items: PublishedPosition["items"] | undefined;
}): Script<readonly TailDelta[]> {
  const { items, ...range } = query;
  if (items === undefined) return yield* readIndexed(range);
  const deltas: TailDelta[] = [];
  for (const { itemId, heads } of items) {
    const head = (heads.find((mark) => mark.seq >= range.upTo) ?? heads.at(-1))?.n;
    if (head === undefined) continue;
    for (const delta of yield* readDeltaChain({ ...range, head, itemId }))
      deltas.push({ ...delta, itemId });
  }
  return deltas;
}

const findChain = statement<Delta & CheckedRow>(
  { reads: ["tail"] },
  {
    sqlite: `WITH RECURSIVE chain (seq, prev, delta, is_intact) AS (
       SELECT seq, prev, delta, ${isIntact(sqlite, "tail", "t")} FROM tail t
       WHERE n = ? AND ${orCorrupt(sqlite, "run_n = ? AND item_id = ?", "tail", "t")}
       UNION ALL
       SELECT t.seq, t.prev, t.delta, ${isIntact(sqlite, "tail", "t")} FROM chain c JOIN tail t ON t.n = c.prev
       WHERE ${orCorrupt(sqlite, "t.seq > ?", "tail", "t")}
     )
     SELECT seq, delta, is_intact FROM chain WHERE seq > ? AND seq <= ? OR is_intact = 0 ORDER BY seq`,
  },
);

const findByRun = statement<CheckedRow & { seq: number; item_id: string; delta: string }>(
  { reads: ["tail"] },
  (dialect) =>
    `SELECT seq, item_id, delta, ${isIntact(dialect, "tail", "t")} AS is_intact FROM tail t
     WHERE run_n = ? AND seq > ? AND seq <= ? ORDER BY seq`,
);

/** Reads an item's deltas with `after < seq <= upTo` in order, by walking back from one of its rows. */
export function* readDeltaChain(query: {
  readonly head: number;
  readonly runN: number;
  readonly itemId: string;
  readonly after: number;
  readonly upTo: number;
}): Script<Delta[]> {
  const rows = yield* all(
    findChain,
    query.head,
    query.runN,
    query.itemId,
    query.after,
    query.after,
    query.upTo,
  );
  requireIntact("tail", ...rows);
  return rows.map(({ seq, delta }) => ({ seq, delta: JSON.parse(delta) as string }));
}

function* readIndexed(query: {
  readonly runN: number;
  readonly after: number;
  readonly upTo: number;
}): Script<readonly TailDelta[]> {
  const rows = yield* all(findByRun, query.runN, query.after, query.upTo);
  requireIntact("tail", ...rows);
  return rows.map(({ seq, item_id, delta }) => ({
    seq,
    itemId: item_id,
    delta: JSON.parse(delta) as string,
  }));
}
