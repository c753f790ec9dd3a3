import type { Delta } from "./cut-points.ts";
import type { Sql } from "./sql.ts";

/** An item's deltas with `after < seq <= upTo` in order, by walking back from one of its rows. */
export function readChain(
  sql: Sql,
  query: { head: number; runN: number; itemId: string; after: number; upTo: number },
): Delta[] {
  const rows = sql.all<Delta>(
    `WITH RECURSIVE chain (seq, prev, delta) AS (
       SELECT seq, prev, delta FROM tail WHERE n = ? AND run_n = ? AND item_id = ?
       UNION ALL
       SELECT t.seq, t.prev, t.delta FROM chain c JOIN tail t ON t.n = c.prev WHERE t.seq > ?
     )
     SELECT seq, delta FROM chain WHERE seq > ? AND seq <= ? ORDER BY seq`,
    query.head,
    query.runN,
    query.itemId,
    query.after,
    query.after,
    query.upTo,
  );
  return rows.map((row) => ({ seq: row.seq, delta: JSON.parse(row.delta) as string }));
}

/** Removes an item's deltas from the tail. */
export function deleteChain(sql: Sql, head: number): void {
  sql.run(
    `DELETE FROM tail WHERE n IN (
       WITH RECURSIVE chain (n, prev) AS (
         SELECT n, prev FROM tail WHERE n = ?
         UNION ALL
         SELECT t.n, t.prev FROM chain c JOIN tail t ON t.n = c.prev
       )
       SELECT n FROM chain
     )`,
    head,
  );
}
