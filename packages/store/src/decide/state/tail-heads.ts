import { all, type Script } from "../../sql/script.ts";
import { detachedDeltas } from "../../encode/event-layout.ts";

/** An item of which something is in the tail. */
export interface TailHead {
  readonly id: string;
  readonly item_id: string;
  /** Its newest row. */
  readonly head: number;
  /** Its oldest, and how many there are. */
  readonly first: number;
  readonly rows: number;
  readonly seq: number;
  /** Its final form is stored, or its run is gone: what is left of it was to be taken out. */
  readonly ended: 0 | 1;
}

/** What a process left in SQLite's tail, by one scan: it has no index. */
export function readTailHeads(): Script<readonly TailHead[]> {
  return all<TailHead>(
    `WITH heads AS (
       SELECT run_n, item_id, MAX(n) AS head, MIN(n) AS first, COUNT(*) AS rows, MAX(seq) AS seq FROM tail GROUP BY run_n, item_id
     )
     SELECT COALESCE(r.id, '') AS id, h.item_id, h.head, h.first, h.rows, h.seq, r.id IS NULL OR EXISTS (
       SELECT 1 FROM run_journal e WHERE e.run_n = h.run_n AND e.seq >= h.seq AND e.from_seq <= h.seq
         AND e.type IN ('item.end', '${detachedDeltas}') AND json_extract(e.events, '$.itemId') = h.item_id
     ) AS ended
     FROM heads h LEFT JOIN runs r ON r.n = h.run_n`,
  );
}
