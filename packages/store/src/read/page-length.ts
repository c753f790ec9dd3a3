import { first, type Script } from "../sql/script.ts";
import { statement } from "../sql/statement.ts";
import type { PageQuery } from "./page-cache.ts";

/** Longer rows are decoded on the reader's thread, in bytes. */
export const longBytes = 262_144;

/** The longest row with events of a page: a row of the page, or one behind it with earlier deltas. */
const findLongestRow = statement<{ bytes: number | null }>(
  { reads: ["runs", "run_journal"] },
  `SELECT MAX(bytes) AS bytes FROM (
     SELECT octet_length(events) AS bytes FROM run_journal
       WHERE run_n = (SELECT n FROM runs WHERE id = ?) AND seq > ? AND seq <= ?
     UNION ALL SELECT octet_length(events) FROM run_journal
       WHERE run_n = (SELECT n FROM runs WHERE id = ?) AND from_seq <= ? AND seq > ?
   ) AS sized`,
);

/** Returns whether a page of events has a long row. Databases know its length without reading it. */
export function* isLongPage({ runId, after, limit }: PageQuery): Script<boolean> {
  const end = after + limit;
  const row = yield* first(findLongestRow, runId, after, end, runId, end, end);
  return (row?.bytes ?? 0) > longBytes;
}
